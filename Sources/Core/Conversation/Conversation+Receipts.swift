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
    let known = uids.find(uid)
    if roster == .known {
      guard let known, members[Int(known)].hasMembership(at: turn.now, turn.rules) else {
        return .waitsForMember
      }
    }
    let at = receipt.at ?? turn.record.timestamp
    takeKnown(receipt.covers, of: event, &missing, &turn)
    if case .upTo(let id) = receipt.covers, turn.scratch.named.isEmpty {
      guard missing.isEmpty else { return .waitsForMessages }
      applyExpired(receipt, id: id, uid: uid, at: at, &turn)
      return .done
    }
    // Of a group that is too large, what names something known is passed over.
    if roster != .tooLarge {
      if receipt.kind == .unread, let index = turn.scratch.named.first {
        return applyUnread(index, uid: uid, at: at, &turn).map { .rejected($0) } ?? .done
      }
      let isCumulative = receipt.covers.isCumulative
      if let slot = known ?? (isCumulative ? slotBeforeRoster(of: uid, turn.rules) : nil) {
        count(receipt, slot: slot, at: at, value: value, &turn)
        freeIfUnneeded(slot)
      }
    }
    return missing.isEmpty ? .done : .waitsForMessages
  }

  /// Notes the messages that are known, and takes their positions out of those that are missing.
  private mutating func takeKnown(
    _ covers: Covers, of event: Event, _ missing: inout [Int32], _ turn: inout Turn
  ) {
    turn.scratch.named.removeAll(keepingCapacity: true)
    var kept = 0
    for place in missing.indices {
      var index: Int?
      var isGone = false
      switch covers.name(missing[place], in: event) {
      case .id(let id):
        index = timeline.index(of: id)
        isGone = index == nil && isExpired(id)
      case .messageUId(let uid):
        if let slot = messageUIds.find(event.text.span.extracting(uid.range)) {
          index = timeline.index(of: messageUIdOwners[Int(slot)])
        }
      case nil: break
      }
      if let index {
        turn.scratch.named.append(index)
      } else if !isGone {
        missing[kept] = missing[place]
        kept += 1
      }
    }
    missing.removeLast(missing.count - kept)
  }

  /// Counts what a receipt covers, and tells of what it adds.
  ///
  /// - Parameter at: its time, which the decoder has held to the record's Kafka timestamp.
  private mutating func count(
    _ receipt: Event.Receipt, slot: Int32, at: Instant, value: Span<UInt8>, _ turn: inout Turn
  ) {
    turn.scratch.begin()
    var thread: Int64 = 0
    if case .upTo = receipt.covers { thread = self.thread(turn.scratch.named[0], turn.rules) }
    var counter = ReceiptCounter(
      member: member(slot, in: thread, turn.rules), kind: receipt.kind, at: at)
    switch receipt.covers {
    case .upTo(let id): count(upTo: id, in: thread, &counter, &turn)
    case .conversation: countConversation(&counter, &turn)
    case .ids, .messageUIds: countNamed(&counter, &turn)
    }
    if turn.scratch.covered.isEmpty {
      turn.outputs.tally.add(counter.passedOver)
    } else {
      emitReceipt(receipt, value: value, &turn)
      emitAnnouncements(cause: .receipt, at: at, &turn)
      emitResponses(receipt, reader: slot, at: at, &turn)
    }
    guard receipt.kind == .read else { return }
    switch receipt.covers {
    case .upTo(let id): moveCursor(slot, thread: thread, to: id, at: at, &turn)
    case .conversation: moveCursors(slot, sentUpTo: at, &turn)
    case .ids, .messageUIds: break
    }
  }

  /// A receipt for an expired message adds nothing; but a `read` still moves the cursor.
  private mutating func applyExpired(
    _ receipt: Event.Receipt, id: Int64, uid: Span<UInt8>, at: Instant, _ turn: inout Turn
  ) {
    turn.outputs.tally.tooOld += 1
    let thread = turn.rules.threads == .separate ? receipt.parentMessageId ?? 0 : 0
    guard roster != .tooLarge, receipt.kind == .read,
      let slot = uids.find(uid) ?? slotBeforeRoster(of: uid, turn.rules)
    else { return }
    moveCursor(slot, thread: thread, to: id, at: at, &turn)
    // The member is told; but of a thread of which nothing is known any more nothing is kept.
    if thread != 0, threads[thread] == nil {
      forgetPosition(ThreadMember(slot: slot, parent: thread))
    }
    freeIfUnneeded(slot)
  }

  /// A slot for a uid that has none. While the roster is unknown anybody may get one, so that what
  /// comes before the roster counts; but no more than a group can have members.
  mutating func slotBeforeRoster(of uid: Span<UInt8>, _ rules: Rules) -> Int32? {
    guard roster == .unknown, uids.count < rules.rosterLimit else { return nil }
    let slot = slot(of: uid)
    memberChanged(slot)
    return slot
  }

  /// Raises the member's watermark in a thread, and counts what that newly covers.
  private mutating func count(
    upTo id: Int64, in thread: Int64, _ counter: inout ReceiptCounter, _ turn: inout Turn
  ) {
    let kind = counter.kind
    let before = counter.member.progress
    guard id > before[kind].upTo else { return }
    highestUpTo = max(highestUpTo, id)
    changeProgress(of: counter.member.slot, in: thread) { $0[kind].raise(upTo: id, at: counter.at) }
    let end = timeline.firstIndex(above: id)
    let floor = max(before[kind].upTo, before.read.upTo)
    let run = min(timeline.firstIndex(above: floor), end)..<end
    turn.scratch.work += run.count
    if turn.rules.threads == .inline, let plain = RunCounter(counter) {
      count(run, plain, &counter, &turn)
    } else {
      for index in run where self.thread(index, turn.rules) == thread {
        countAndFold(index, &counter, &turn)
      }
    }
  }

  /// Counts a run of messages under a watermark that was raised.
  private mutating func count(
    _ run: Range<Int>, _ plain: RunCounter, _ counter: inout ReceiptCounter, _ turn: inout Turn
  ) {
    var next = run.lowerBound
    while next < run.upperBound {
      turn.scratch.settled.removeAll(keepingCapacity: true)
      next = timeline.count(
        plain, run: next..<run.upperBound, covered: &turn.scratch.covered,
        settled: &turn.scratch.settled, passedOver: &counter.passedOver)
      for position in turn.scratch.settled.indices {
        settle(turn.scratch.settled[position], at: counter.at, &turn)
      }
      if next < run.upperBound {
        countAndFold(next, &counter, &turn)
        next += 1
      }
    }
  }

  /// Counts one message under a watermark that was raised, and takes the member's marks off it.
  private mutating func countAndFold(
    _ index: Int, _ counter: inout ReceiptCounter, _ turn: inout Turn
  ) {
    count(index, &counter, &turn)
    if timeline.flags[index].contains(.marked) { fold(counter.member.slot, counter.kind, index) }
  }

  /// Raises the member's time watermark, and counts what that newly covers.
  private mutating func countConversation(_ counter: inout ReceiptCounter, _ turn: inout Turn) {
    let (slot, kind, at) = (counter.member.slot, counter.kind, counter.at)
    let before = counter.member.progress
    guard at > before[kind].sentUpTo else { return }
    members[Int(slot)].progress[kind].raise(sentUpTo: at, at: at)
    highestSentUpTo = max(highestSentUpTo, at)
    memberChanged(slot)
    let isInVain = !members[Int(slot)].mayCover(upToSequence: timeline.highestSequence)
    for index in timeline.indices {
      turn.scratch.work += 1
      guard timeline.sentAt[index] <= at else { continue }
      if turn.rules.threads == .separate {
        let thread = timeline.parents[index]
        counter.member.progress = thread == 0 ? before : progress(of: slot, in: thread)
        counter.member.progress.takeTimes(of: before)
      }
      count(index, &counter, &turn)
      // Thousands of them may wait for one roster.
      if isInVain, counter.passedOver.contains(.outside) { return }
    }
  }

  /// Marks the messages that the receipt names one by one, and counts them.
  private mutating func countNamed(_ counter: inout ReceiptCounter, _ turn: inout Turn) {
    turn.scratch.named.sort()
    var last = -1
    for position in turn.scratch.named.indices where turn.scratch.named[position] != last {
      last = turn.scratch.named[position]
      if turn.rules.threads == .separate {
        counter.member.progress = progress(of: counter.member.slot, in: timeline.parents[last])
      }
      if count(last, &counter, &turn) { mark(counter.member.slot, counter.kind, last) }
    }
  }

  /// Counts the receipt for the message at an index.
  ///
  /// - Returns: whether it adds anything.
  @discardableResult
  private mutating func count(
    _ index: Int, _ counter: inout ReceiptCounter, _ turn: inout Turn
  ) -> Bool {
    guard timeline.isTracked(index) else {
      counter.passedOver.insert(.untracked)
      return false
    }
    let marks = timeline.flags[index].contains(.marked) ? timeline.marks[index] : nil
    guard let step = counter.step(facts(index), marks: marks) else { return false }
    timeline.counts[index] += step
    turn.scratch.covered.append(index)
    settle(index, at: counter.at, &turn)
    return true
  }

  private mutating func mark(_ slot: Int32, _ kind: ReceiptKind, _ index: Int) {
    if timeline.marks[index] == nil { timeline.marks[index] = Timeline.Marks() }
    timeline.marks[index]?.insert(slot, kind)
    timeline.flags[index].insert(.marked)
    marksChanged(index)
  }

  /// Takes out the marks that a watermark has passed: it says the same. Nothing is written for
  /// it; a restore folds them in the same way.
  mutating func fold(_ slot: Int32, _ kind: ReceiptKind, _ index: Int) {
    timeline.marks[index]?.remove(slot, kind)
    guard timeline.marks[index]?.isEmpty == true else { return }
    timeline.marks[index] = nil
    timeline.flags[index].remove(.marked)
  }
}
