extension Model {
  /// Applies a receipt or a delete, or has it wait.
  mutating func applyOrWait(
    _ record: ModelWaiting.Record, _ source: ModelSource, in conversation: ModelConversation
  ) {
    let waiter = ModelWaiting(record, source, in: conversation, appliedAt: now)
    guard !attempt(waiter) else { return }
    waiter.isTimeless = isTimeless
    waiting.add(waiter)
    conversation.waiting.add(waiter)
    // In another order it has not waited together with so much.
    if waiter.isTimeless { return }
    if conversation.waiting.count > rules.maxWaitingPerConversation, !conversation.isTimeless,
      let oldest = conversation.waiting.oldest
    {
      waitedInVain(oldest)
    }
    if waiting.count > rules.maxWaitingPerPartition, let oldest = waiting.oldestInTime {
      waitedInVain(oldest)
    }
  }

  /// Whatever waits for a record that came is looked at again: deletes first, then receipts, in
  /// the order in which they came.
  mutating func retry(
    _ conversation: ModelConversation, _ targets: [ModelTarget], isMembership: Bool = false,
    deletesOnly: Bool = false
  ) {
    guard conversation.waiting.count > 0 else { return }
    let waiters = conversation.waiting.waiters(for: targets, isMembership: isMembership)
    for waiter in waiters.filter(\.isDelete) where attempt(waiter) { noteApplied(waiter) }
    if deletesOnly { return }
    for waiter in waiters where !waiter.isDelete && attempt(waiter) { noteApplied(waiter) }
  }

  private mutating func noteApplied(_ waiter: ModelWaiting) {
    finish(waiter)
    let (time, isFar) = now.subtractingReportingOverflow(waiter.appliedAt)
    waited.append((waiter.conversation.name.id, isFar ? .max : time))
  }

  /// Applies what can be applied of it now. Gives false where it has to wait (still).
  private mutating func attempt(_ waiter: ModelWaiting) -> Bool {
    switch waiter.record {
    case .receipt(let receipt): attempt(receipt, waiter)
    case .delete(let delete): attempt(delete, waiter.source, in: waiter.conversation)
    }
  }

  private mutating func finish(_ waiter: ModelWaiting) {
    waiter.isOver = true
    waiting.remove(waiter)
    waiter.conversation.waiting.remove(waiter)
    schedule(waiter.conversation)
  }

  /// It has waited long enough: it is rejected, or adds nothing.
  mutating func waitedInVain(_ waiter: ModelWaiting) {
    finish(waiter)
    let conversation = waiter.conversation
    givenUp.append(waiter)
    switch waiter.record {
    case .delete(let delete): deleteUnknown(delete, waiter.source, in: conversation)
    case .receipt(let receipt):
      if conversation.roster == .known, !conversation.hasMembership(receipt.sender) {
        reject(waiter.source, ModelFault("ERR_UID_NOT_FOUND"))
      } else if !isOlderThanAll(receipt, waiter.missing, in: conversation) {
        reject(waiter.source, ModelFault("ERR_MESSAGE_NOT_FOUND"))
      }
    }
  }

  private func isOlderThanAll(
    _ receipt: ModelReceiptRecord, _ missing: Set<ModelTarget>,
    in conversation: ModelConversation
  ) -> Bool {
    guard !conversation.known.isEmpty else { return false }
    switch receipt.covers {
    case .upTo(let id): return conversation.isBelowAllKnown(id)
    case .conversation: return false
    case .exactly:
      return missing.allSatisfy { target in
        if case .id(let id) = target { conversation.isBelowAllKnown(id) } else { false }
      }
    }
  }
}
