/// A receipt or a delete that was applied, with what it still waits for.
final class ModelWaiting {
  enum Record {
    case receipt(ModelReceiptRecord)
    case delete(ModelDeleteRecord)
  }

  let record: Record
  let source: ModelSource
  /// Stream time when it was applied.
  let appliedAt: Int64
  /// The messages that have not come.
  var missing: Set<ModelTarget>
  /// Whether it waits for a membership of its sender.
  var waitsForMembership = false

  init(_ record: Record, _ source: ModelSource, appliedAt: Int64) {
    self.record = record
    self.source = source
    self.appliedAt = appliedAt
    switch record {
    case .delete(let delete): missing = [.id(delete.messageId)]
    case .receipt(let receipt):
      switch receipt.covers {
      case .upTo(let id): missing = [.id(id)]
      case .conversation: missing = []
      case .exactly(let targets): missing = Set(targets)
      }
    }
  }

  var conversation: ModelConversationName {
    switch record {
    case .receipt(let receipt): receipt.conversation
    case .delete(let delete): delete.conversation
    }
  }

  var isDelete: Bool { if case .delete = record { true } else { false } }
}

extension Model {
  /// Applies a receipt or a delete, or has it wait.
  mutating func applyOrWait(_ record: ModelWaiting.Record, _ source: ModelSource) {
    let waiter = ModelWaiting(record, source, appliedAt: now)
    guard !attempt(waiter, in: conversation(waiter.conversation)) else { return }
    waiting.append(waiter)
    let here = waiting.filter { $0.conversation.id == waiter.conversation.id }
    if here.count > rules.maxWaitingPerConversation { waitedInVain(here[0]) }
    if waiting.count > rules.maxWaitingPerPartition { waitedInVain(waiting[0]) }
  }

  /// Whatever waits for a record that came is looked at again: deletes first, then receipts, in
  /// the order in which they came.
  mutating func retry(
    _ conversation: ModelConversation, _ targets: [ModelTarget], isMembership: Bool = false
  ) {
    let here = waiting.filter { waiter in
      waiter.conversation.id == conversation.name.id
        && (!waiter.missing.isDisjoint(with: targets) || isMembership && waiter.waitsForMembership)
    }
    for waiter in here.filter(\.isDelete) + here.filter({ !$0.isDelete }) {
      if attempt(waiter, in: conversation) { waiting.removeAll { $0 === waiter } }
    }
  }

  /// Applies what can be applied of it now. Gives false where it has to wait (still).
  private mutating func attempt(
    _ waiter: ModelWaiting, in conversation: ModelConversation
  ) -> Bool {
    switch waiter.record {
    case .receipt(let receipt): attempt(receipt, waiter, in: conversation)
    case .delete(let delete): attempt(delete, waiter.source, in: conversation)
    }
  }

  /// It has waited long enough: it is rejected, or adds nothing.
  mutating func waitedInVain(_ waiter: ModelWaiting) {
    waiting.removeAll { $0 === waiter }
    let conversation = conversation(waiter.conversation)
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
