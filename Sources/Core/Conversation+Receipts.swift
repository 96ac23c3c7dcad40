/// What became of a receipt.
enum ReceiptOutcome {
  /// It is done with, whether or not it added anything.
  case done
  /// It waits for a membership of its sender.
  case waitsForMember
  /// It waits for the ids that are left in its list of missing positions.
  case waitsForMessages
}

extension Conversation {
  /// Applies as much of a receipt as can be applied now.
  ///
  /// - Parameter missing: the positions in the receipt's list of ids that have not come; those
  ///   that are known now are applied and taken out.
  mutating func apply(
    _ receipt: Event.Receipt, of event: Event, value: Span<UInt8>, missing: inout [Int32],
    rules: Rules, _ application: inout Application, _ scratch: inout Scratch,
    _ outputs: inout Outputs
  ) -> ReceiptOutcome {
    let uid = event.text.span.extracting(receipt.sender.range)
    if roster == .known, !hasMembership(uid) { return .waitsForMember }
    scratch.named.removeAll(keepingCapacity: true)
    switch receipt.covers {
    case .conversation: break
    case .upTo(let id):
      guard timeline.index(of: id) != nil else { return .waitsForMessages }
      missing.removeAll()
    case .ids:
      missing.removeAll { takeKnown(timeline.index(of: event.ids[Int($0)]), &scratch) }
    case .messageUIds:
      missing.removeAll { takeKnown(index(of: event.messageUIds[Int($0)], in: event), &scratch) }
    }
    // Past the second limit what names something known is passed over.
    if roster != .tooLarge, let slot = slotForReceipt(receipt, of: uid, rules: rules) {
      scratch.begin()
      let at = receipt.at ?? application.timestamp
      cover(receipt, slot: slot, at: at, rules: rules, &application, &scratch, &outputs)
      emit(
        receipt, uid: uid, at: at, value: value, rules: rules, &application, &scratch, &outputs)
      announce(cause: .receipt, at: at, &application, &scratch, &outputs)
      respond(receipt, uid: uid, at: at, &application, &scratch, &outputs)
    }
    return missing.isEmpty ? .done : .waitsForMessages
  }

  private func takeKnown(_ index: Int?, _ scratch: inout Scratch) -> Bool {
    guard let index else { return false }
    scratch.named.append(index)
    return true
  }

  /// The index of the message that holds a `messageUId`.
  private func index(of uid: Text, in event: Event) -> Int? {
    guard let slot = messageUIds.find(event.text.span.extracting(uid.range)) else { return nil }
    return timeline.index(of: messageUIdOwners[Int(slot)])
  }

  /// The slot to keep a receipt under. While the roster is unknown anybody may get one, so that a
  /// watermark that comes before the roster counts; but no more than a group can have members.
  private mutating func slotForReceipt(
    _ receipt: Event.Receipt, of uid: Span<UInt8>, rules: Rules
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
  private mutating func cover(
    _ receipt: Event.Receipt, slot: Int32, at: Instant, rules: Rules,
    _ application: inout Application, _ scratch: inout Scratch, _ outputs: inout Outputs
  ) {
    let before = members[Int(slot)]
    let isRead = receipt.kind == .read
    var count = Cover(
      slot: slot, member: before, isRead: isRead, isHolding: rules.leavers == .hold, at: at)
    switch receipt.covers {
    case .upTo(let id):
      let floor = isRead ? before.read.upTo : max(before.delivered.upTo, before.read.upTo)
      guard id > (isRead ? before.read.upTo : before.delivered.upTo) else {
        outputs.tally.covered += 1
        return
      }
      raise(slot, isRead) { marks in
        marks.upTo = id
        marks.upToAt = at
      }
      highestUpTo = max(highestUpTo, id)
      let end = timeline.firstIndex(above: id)
      for index in min(timeline.firstIndex(above: floor), end)..<end {
        count.add(index, &self, &scratch)
        if timeline.marks[index] != nil { fold(slot, isRead, index) }
      }
    case .conversation:
      let limit = min(at, application.timestamp)
      guard limit > (isRead ? before.read.sentUpTo : before.delivered.sentUpTo) else {
        outputs.tally.covered += 1
        return
      }
      raise(slot, isRead) { marks in
        marks.sentUpTo = limit
        marks.sentUpToAt = at
      }
      highestSentUpTo = max(highestSentUpTo, limit)
      let floor = isRead ? before.read.upTo : max(before.delivered.upTo, before.read.upTo)
      for index in timeline.firstIndex(above: floor)..<timeline.count
      where timeline.sentAt[index] <= limit {
        count.add(index, &self, &scratch)
      }
    case .ids, .messageUIds:
      scratch.named.sort()
      var last = -1
      for position in scratch.named.indices where scratch.named[position] != last {
        last = scratch.named[position]
        guard count.add(last, &self, &scratch) else { continue }
        mark(slot, isRead, last)
      }
    }
    if scratch.covered.isEmpty { count.tally(&outputs.tally) }
  }

  private mutating func raise(_ slot: Int32, _ isRead: Bool, _ body: (inout Watermarks) -> Void) {
    if isRead {
      body(&members[Int(slot)].read)
    } else {
      body(&members[Int(slot)].delivered)
    }
    memberChanged(slot)
  }

  private mutating func mark(_ slot: Int32, _ isRead: Bool, _ index: Int) {
    var marks = timeline.marks[index] ?? Timeline.Marks()
    timeline.marks[index] = nil
    if isRead { marks.read.insert(slot) } else { marks.delivered.insert(slot) }
    timeline.marks[index] = marks
    marksChanged(index)
  }

  /// Takes out the marks that a watermark has passed: it says the same. Nothing is written for
  /// it; a restore folds them in the same way.
  mutating func fold(_ slot: Int32, _ isRead: Bool, _ index: Int) {
    if isRead { timeline.marks[index]?.read.remove(slot) }
    timeline.marks[index]?.delivered.remove(slot)
    if timeline.marks[index]?.isEmpty == true { timeline.marks[index] = nil }
  }
}

/// Counts one member's receipt message by message.
private struct Cover {
  let slot: Int32
  /// The member as he was before the receipt.
  let member: Member
  let isRead: Bool
  let isHolding: Bool
  let at: Instant
  var sawUntracked = false
  var sawOwn = false
  var sawOutside = false

  /// Counts the message at an index, unless the member has covered it before or need not.
  @discardableResult
  mutating func add(
    _ index: Int, _ conversation: inout Conversation, _ scratch: inout Scratch
  ) -> Bool {
    guard conversation.timeline.isTracked(index) else {
      sawUntracked = true
      return false
    }
    guard conversation.timeline.senders[index] != slot else {
      sawOwn = true
      return false
    }
    let id = conversation.timeline.ids[index]
    let sentAt = conversation.timeline.sentAt[index]
    let isMarked = conversation.timeline.marks[index] != nil
    let wasRead =
      member.hasRead(id: id, sentAt: sentAt)
      || isMarked && conversation.timeline.marks[index]?.read.contains(slot) == true
    let wasReceived =
      wasRead || member.hasReceived(id: id, sentAt: sentAt)
      || isMarked && conversation.timeline.marks[index]?.delivered.contains(slot) == true
    guard isRead ? !wasRead : !wasReceived else { return false }
    let place = member.place(
      forId: id, sequence: conversation.timeline.sequences[index], holdingLeavers: isHolding)
    guard place != .outside else {
      sawOutside = true
      return false
    }
    let step: Int32 = place == .waitedFor ? 1 : 0
    if !wasReceived {
      conversation.timeline.counts[index].delivered += 1
      conversation.timeline.counts[index].pendingDelivered -= step
    }
    if isRead {
      conversation.timeline.counts[index].read += 1
      conversation.timeline.counts[index].pendingRead -= step
    }
    scratch.covered.append(index)
    conversation.settle(index, &scratch, at: at)
    return true
  }

  /// Says why a receipt added nothing.
  func tally(_ tally: inout Tally) {
    if sawOwn {
      tally.own += 1
    } else if sawOutside {
      tally.notInAudience += 1
    } else if sawUntracked {
      tally.notTracked += 1
    } else {
      tally.covered += 1
    }
  }
}
