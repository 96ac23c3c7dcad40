/// What became of a receipt.
enum ReceiptOutcome {
  /// It is done with, whether or not it added anything.
  case done
  /// It waits for a membership of its sender.
  case waitsForMember
  /// It waits for the ids that are left in its list of missing positions.
  case waitsForMessages
  case rejected(Rejection)
}

extension Conversation {
  /// Applies as much of a receipt as can be applied now.
  ///
  /// - Parameter missing: the positions in the receipt's list of ids that have not come; those
  ///   that are known now are applied and taken out.
  mutating func apply(
    _ receipt: Event.Receipt, of event: Event, value: Span<UInt8>, missing: inout [Int32],
    _ turn: inout Turn
  ) -> ReceiptOutcome {
    let uid = event.text.span.extracting(receipt.sender.range)
    if roster == .known, !hasMembership(uid, at: turn.now, turn.rules) { return .waitsForMember }
    let at = receipt.at ?? turn.record.timestamp
    turn.scratch.named.removeAll(keepingCapacity: true)
    switch receipt.covers {
    case .conversation: break
    case .upTo(let id):
      guard let index = timeline.index(of: id) else {
        guard isExpired(id) else { return .waitsForMessages }
        applyExpired(receipt, id: id, uid: uid, at: at, &turn)
        return .done
      }
      missing.removeAll(keepingCapacity: true)
      turn.scratch.named.append(index)
    case .ids:
      missing.removeAll { takeKnown(event.ids[Int($0)], &turn) }
    case .messageUIds:
      missing.removeAll { takeKnown(event.messageUIds[Int($0)], in: event, &turn) }
    }
    // Past the second limit what names something known is passed over.
    if roster != .tooLarge {
      if receipt.kind == .unread, let index = turn.scratch.named.first {
        return applyUnread(index, uid: uid, at: at, &turn)
          .map { .rejected($0) } ?? .done
      }
      if let slot = slotForReceipt(receipt, of: uid, turn.rules) {
        count(receipt, slot: slot, at: at, value: value, &turn)
        freeIfUnneeded(slot)
      }
    }
    return missing.isEmpty ? .done : .waitsForMessages
  }

  /// Counts what a receipt covers, and tells of what it adds.
  ///
  /// - Parameter at: its time, which the decoder has held to the record's Kafka timestamp.
  private mutating func count(
    _ receipt: Event.Receipt, slot: Int32, at: Instant, value: Span<UInt8>, _ turn: inout Turn
  ) {
    turn.scratch.begin()
    var list: Int64 = 0
    if case .upTo = receipt.covers { list = self.list(turn.scratch.named[0], turn.rules) }
    let isNews = cover(receipt, slot: slot, list: list, at: at, &turn)
    if isNews {
      emit(receipt, value: value, &turn)
      announce(cause: .receipt, at: at, &turn)
      respond(receipt, reader: slot, at: at, &turn)
    }
    guard receipt.kind == .read else { return }
    switch receipt.covers {
    case .upTo(let id):
      moveCursor(slot, list: list, to: id, at: at, &turn)
    case .conversation:
      moveCursors(slot, sentUpTo: at, at: at, &turn)
    case .ids, .messageUIds: break
    }
  }

  /// A receipt for an expired message adds nothing; but a `read` still moves the cursor.
  private mutating func applyExpired(
    _ receipt: Event.Receipt, id: Int64, uid: Span<UInt8>, at: Instant, _ turn: inout Turn
  ) {
    turn.outputs.tally.tooOld += 1
    let list = turn.rules.threads == .separate ? receipt.parentMessageId ?? 0 : 0
    guard roster != .tooLarge, receipt.kind == .read,
      let slot = slotForReceipt(receipt, of: uid, turn.rules)
    else { return }
    moveCursor(slot, list: list, to: id, at: at, &turn)
    // The member is told; but of a thread of which nothing is known any more nothing is kept.
    if list != 0, threads[list] == nil {
      forgetPosition(ThreadMember(slot: slot, parent: list))
    }
    freeIfUnneeded(slot)
  }

  private func takeKnown(_ id: Int64, _ turn: inout Turn) -> Bool {
    guard let index = timeline.index(of: id) else { return isExpired(id) }
    turn.scratch.named.append(index)
    return true
  }

  private func takeKnown(_ uid: Text, in event: Event, _ turn: inout Turn) -> Bool {
    guard let slot = messageUIds.find(event.text.span.extracting(uid.range)),
      let index = timeline.index(of: messageUIdOwners[Int(slot)])
    else { return false }
    turn.scratch.named.append(index)
    return true
  }

  /// The slot to keep a receipt under. While the roster is unknown anybody may get one, so that a
  /// watermark that comes before the roster counts; but no more than a group can have members.
  private mutating func slotForReceipt(
    _ receipt: Event.Receipt, of uid: Span<UInt8>, _ rules: Rules
  ) -> Int32? {
    if let slot = uids.find(uid) { return slot }
    guard roster == .unknown, uids.count < 2 * rules.maxGroupMembers else { return nil }
    switch receipt.covers {
    case .ids, .messageUIds: return nil
    case .upTo, .conversation: break
    }
    let slot = slot(of: uid)
    memberChanged(slot)
    return slot
  }

  /// Raises the member's watermark or sets his marks, and counts what that newly covers.
  ///
  /// - Returns: whether it covers anything new.
  private mutating func cover(
    _ receipt: Event.Receipt, slot: Int32, list: Int64, at: Instant, _ turn: inout Turn
  ) -> Bool {
    let isRead = receipt.kind == .read
    var cover = Cover(
      slot: slot, member: members[Int(slot)], reach: reach(slot, in: list), isRead: isRead, at: at)
    switch receipt.covers {
    case .upTo(let id):
      if let floor = raise(slot, list, isRead, upTo: id, at: at) {
        let end = timeline.firstIndex(above: id)
        let run = min(timeline.firstIndex(above: floor), end)..<end
        turn.scratch.work += run.count
        if turn.rules.threads == .inline, let plain = PlainCover(cover) {
          add(run, plain, &cover, &turn)
        } else {
          for index in run where self.list(index, turn.rules) == list {
            add(index, &cover, &turn)
          }
        }
      }
    case .conversation:
      let before = members[Int(slot)]
      if raise(slot, isRead, sentUpTo: at, at: at) {
        let isInVain = !before.mayCover(timeline)
        for index in timeline.indices {
          turn.scratch.work += 1
          guard timeline.sentAt[index] <= at else { continue }
          cover.reach = reach(slot, in: self.list(index, turn.rules), before: before)
          cover.add(index, &self, &turn)
          // Thousands of them may wait for one roster.
          if isInVain, cover.passed.contains(.outside) { break }
        }
      }
    case .ids, .messageUIds:
      turn.scratch.named.sort()
      var last = -1
      for position in turn.scratch.named.indices where turn.scratch.named[position] != last {
        last = turn.scratch.named[position]
        cover.reach = reach(slot, in: self.list(last, turn.rules))
        if cover.add(last, &self, &turn) { mark(slot, isRead, last) }
      }
    }
    if turn.scratch.covered.isEmpty { cover.tally(&turn.outputs.tally) }
    return !turn.scratch.covered.isEmpty
  }

  /// Counts a run of messages under a watermark that was raised.
  private mutating func add(
    _ run: Range<Int>, _ plain: PlainCover, _ cover: inout Cover, _ turn: inout Turn
  ) {
    var next = run.lowerBound
    while next < run.upperBound {
      turn.scratch.settled.removeAll(keepingCapacity: true)
      next = timeline.count(
        plain, run: next..<run.upperBound, covered: &turn.scratch.covered,
        settled: &turn.scratch.settled,
        passed: &cover.passed)
      for position in turn.scratch.settled.indices {
        settle(turn.scratch.settled[position], &turn, at: cover.at)
      }
      if next < run.upperBound {
        add(next, &cover, &turn)
        next += 1
      }
    }
  }

  /// Counts one message under a watermark that was raised, and takes the member's marks off it.
  private mutating func add(_ index: Int, _ cover: inout Cover, _ turn: inout Turn) {
    cover.add(index, &self, &turn)
    if timeline.flags[index].contains(.marked) { fold(cover.slot, cover.isRead, index) }
  }

  /// Raises the watermark of a list.
  ///
  /// - Returns: the id up to which all was covered before; nil where it is not raised.
  private mutating func raise(
    _ slot: Int32, _ list: Int64, _ isRead: Bool, upTo id: Int64, at: Instant
  ) -> Int64? {
    let before = reach(slot, in: list)
    guard id > (isRead ? before.read.upTo : before.delivered.upTo) else { return nil }
    highestUpTo = max(highestUpTo, id)
    if list == 0 {
      members[Int(slot)].raise(isRead, upTo: id, at: at)
      memberChanged(slot)
    } else {
      changePosition(ThreadMember(slot: slot, parent: list)) {
        $0.raise(isRead, upTo: id, at: at)
      }
    }
    return isRead ? before.read.upTo : max(before.delivered.upTo, before.read.upTo)
  }

  /// Raises a time watermark.
  private mutating func raise(
    _ slot: Int32, _ isRead: Bool, sentUpTo limit: Instant, at: Instant
  ) -> Bool {
    var marks = isRead ? members[Int(slot)].read : members[Int(slot)].delivered
    guard limit > marks.sentUpTo else { return false }
    marks.sentUpTo = limit
    marks.sentUpToAt = at
    if isRead { members[Int(slot)].read = marks } else { members[Int(slot)].delivered = marks }
    highestSentUpTo = max(highestSentUpTo, limit)
    memberChanged(slot)
    return true
  }

  /// The reach in a list with the time watermarks that the member had before.
  private func reach(_ slot: Int32, in list: Int64, before: Member) -> Reach {
    var reach = reach(slot, in: list)
    reach.delivered.sentUpTo = before.delivered.sentUpTo
    reach.read.sentUpTo = before.read.sentUpTo
    return reach
  }

  private mutating func mark(_ slot: Int32, _ isRead: Bool, _ index: Int) {
    var marks = timeline.marks[index] ?? Timeline.Marks()
    timeline.marks[index] = nil
    if isRead { marks.read.insert(slot) } else { marks.delivered.insert(slot) }
    timeline.marks[index] = marks
    timeline.flags[index].insert(.marked)
    marksChanged(index)
  }

  /// Takes out the marks that a watermark has passed: it says the same. Nothing is written for
  /// it; a restore folds them in the same way.
  mutating func fold(_ slot: Int32, _ isRead: Bool, _ index: Int) {
    if isRead { timeline.marks[index]?.read.remove(slot) }
    timeline.marks[index]?.delivered.remove(slot)
    guard timeline.marks[index]?.isEmpty == true else { return }
    timeline.marks[index] = nil
    timeline.flags[index].remove(.marked)
  }
}

extension Member {
  /// Whether he may be in the audience of a message, or has sent one: what was applied before his
  /// memberships began does not count for him.
  fileprivate func mayCover(_ timeline: Timeline) -> Bool {
    messageCount > 0 || periods.contains { $0.beginSequence < timeline.highestSequence }
  }

  fileprivate mutating func raise(_ isRead: Bool, upTo id: Int64, at: Instant) {
    if isRead { read.raise(upTo: id, at: at) } else { delivered.raise(upTo: id, at: at) }
  }
}

extension Position {
  fileprivate mutating func raise(_ isRead: Bool, upTo id: Int64, at: Instant) {
    if isRead { read.raise(upTo: id, at: at) } else { delivered.raise(upTo: id, at: at) }
  }
}

extension Watermarks {
  fileprivate mutating func raise(upTo id: Int64, at: Instant) {
    upTo = id
    upToAt = at
  }
}
