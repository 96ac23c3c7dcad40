/// One member's cumulative receipt, as far as it is the same for every message that it covers:
/// for who has one membership, that lasts and in which he is waited for.
struct PlainCover {
  let slot: Int32
  let isRead: Bool
  /// How far he had come before.
  let reach: Reach
  /// Where his membership begins.
  let beginId: Int64
  let beginSequence: Int64

  /// Nil for a member to whom more than this applies.
  init?(_ cover: Cover) {
    guard cover.periods.count == 1, let period = cover.periods.first, period.endId == nil,
      !period.isExempt
    else { return nil }
    slot = cover.slot
    isRead = cover.isRead
    reach = cover.reach
    beginId = period.beginId
    beginSequence = period.beginSequence
  }
}

/// Why a receipt does not count for some of the messages that it covers.
struct Passed: OptionSet {
  let rawValue: UInt8
  static let untracked = Passed(rawValue: 1)
  static let own = Passed(rawValue: 2)
  static let outside = Passed(rawValue: 4)
}

extension Timeline {
  /// Counts a receipt for a run of messages that its member has not covered by id in the receipt's
  /// own kind. This is the loop in which a receipt for ten thousand messages spends its time.
  ///
  /// - Parameters:
  ///   - covered: gets the indices of the messages that it newly covers.
  ///   - settled: gets those of them for which nobody is waited for any more in some kind.
  /// - Returns: the index of the first message that has marks, which this does not know of; else
  ///   the end of the run.
  mutating func count(
    _ cover: PlainCover, run: Range<Int>, covered: inout [Int], settled: inout [Int],
    passed: inout Passed
  ) -> Int {
    // Out of the timeline meanwhile, so that the other arrays can be read beside it.
    var counts: [Counts] = []
    swap(&counts, &self.counts)
    var end = run.upperBound
    for index in run {
      if flags[index].contains(.marked) {
        end = index
        break
      }
      if kinds[index] != .on {
        passed.insert(.untracked)
      } else if senders[index] == cover.slot {
        passed.insert(.own)
      } else if cover.isNews(ids[index], sentAt: sentAt[index]) {
        guard ids[index] > cover.beginId, sequences[index] > cover.beginSequence else {
          passed.insert(.outside)
          continue
        }
        let isSettled = cover.count(ids[index], sentAt: sentAt[index], in: &counts[index])
        covered.append(index)
        if isSettled { settled.append(index) }
      }
    }
    swap(&counts, &self.counts)
    return end
  }
}

extension PlainCover {
  /// Whether the member had not covered a message of the run before.
  fileprivate func isNews(_ id: Int64, sentAt: Instant) -> Bool {
    isRead ? !reach.read.coverSent(sentAt) : !hadReceived(id, sentAt: sentAt)
  }

  /// Counts it in a message's counts.
  ///
  /// - Returns: whether nobody is waited for any more in some kind.
  fileprivate func count(_ id: Int64, sentAt: Instant, in counts: inout Counts) -> Bool {
    if isRead {
      counts.read += 1
      counts.pendingRead -= 1
    }
    if !hadReceived(id, sentAt: sentAt) {
      counts.delivered += 1
      counts.pendingDelivered -= 1
    }
    return counts.pendingDelivered == 0 || counts.pendingRead == 0
  }

  private func hadReceived(_ id: Int64, sentAt: Instant) -> Bool {
    id <= reach.delivered.upTo || id <= reach.read.upTo || reach.delivered.coverSent(sentAt)
      || reach.read.coverSent(sentAt)
  }
}
