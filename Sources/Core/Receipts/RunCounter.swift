/// Counts one member's cumulative receipt, as far as it is the same for every message that it
/// covers: for a member with one membership, which lasts and in which they are waited for.
struct RunCounter {
  let slot: Int32
  let isRead: Bool
  /// How far the member had come before.
  let delivered: Watermarks
  let read: Watermarks
  /// Where the membership begins.
  let beginId: Int64
  let beginSequence: Int64

  /// Nil for a member to whom more than this applies.
  init?(_ counter: ReceiptCounter) {
    guard counter.member.periods.count == 1, let period = counter.member.periods.first,
      period.endId == nil, !period.isExempt
    else { return nil }
    slot = counter.member.slot
    isRead = counter.kind == .read
    delivered = counter.member.progress.delivered
    read = counter.member.progress.read
    beginId = period.beginId
    beginSequence = period.beginSequence
  }
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
    _ counter: RunCounter, run: Range<Int>, covered: inout [Int], settled: inout [Int],
    passedOver: inout PassedOver
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
      if tracking[index] != .on {
        passedOver.insert(.untracked)
      } else if senders[index] == counter.slot {
        passedOver.insert(.own)
      } else if counter.isNews(ids[index], sentAt: sentAt[index]) {
        guard ids[index] > counter.beginId, sequences[index] > counter.beginSequence else {
          passedOver.insert(.outside)
          continue
        }
        let isSettled = counter.count(ids[index], sentAt: sentAt[index], in: &counts[index])
        covered.append(index)
        if isSettled { settled.append(index) }
      }
    }
    swap(&counts, &self.counts)
    return end
  }
}

extension RunCounter {
  /// Whether the member had not covered a message of the run before.
  fileprivate func isNews(_ id: Int64, sentAt: Instant) -> Bool {
    isRead ? !read.coverSent(sentAt) : !hadReceived(id, sentAt: sentAt)
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
    id <= delivered.upTo || id <= read.upTo || delivered.coverSent(sentAt) || read.coverSent(sentAt)
  }
}
