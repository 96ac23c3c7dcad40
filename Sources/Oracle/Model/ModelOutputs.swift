/// What one input causes, handed out in the order of the contract.
struct ModelOutputs {
  /// The order of the kinds.
  enum Place: Int {
    case deletions, receipts, deliveredToAll, readByAll, responses, unread, threads
  }

  private var events: [(place: Place, output: ModelOutput)] = []
  /// The messages whose status is to be written; those that are known no more with their last one.
  private var statuses: [Touched] = []
  private var rejections: [ModelOutput] = []

  private struct Touched {
    var conversation: ModelConversation
    var id: Int64
    var last: ModelStatus?
  }

  mutating func add(_ event: ModelEvent, _ place: Place) {
    events.append((place: place, output: .event(event)))
  }

  mutating func add(action: ModelDeleted) {
    events.append((place: .deletions, output: .action(action)))
  }

  /// A message's status is to be written.
  mutating func touch(_ id: Int64, in conversation: ModelConversation) {
    statuses.append(Touched(conversation: conversation, id: id))
  }

  /// A message is forgotten, and this is its last status.
  mutating func touch(_ id: Int64, in conversation: ModelConversation, last: ModelStatus) {
    statuses.append(Touched(conversation: conversation, id: id, last: last))
  }

  mutating func reject(_ source: ModelSource, _ fault: ModelFault, maxRecordBytes: Int) {
    let size = source.input.value?.count ?? 0
    rejections.append(
      .rejection(
        ModelRejection(
          fault: fault, input: source.input, timestamp: source.timestamp,
          isCut: size > maxRecordBytes)))
  }

  /// All of it: the events by their kind, each kind in the order of application; of each message
  /// the newest status; the rejections.
  func inOrder(_ rules: ModelRules) -> [ModelOutput] {
    let inOrder =
      events.count > 1 ? events.sorted { $0.place.rawValue < $1.place.rawValue } : events
    return inOrder.map(\.output) + newestStatuses() + rejections
  }

  private func newestStatuses() -> [ModelOutput] {
    // Of one message the last entry is the newest; the sort leaves them in their order.
    let sorted = statuses.sorted { a, b in
      // One that was forgotten may have come back with the same record.
      a.conversation === b.conversation || a.conversation.name.id == b.conversation.name.id
        ? a.id < b.id : a.conversation.name.id < b.conversation.name.id
    }
    var outputs: [ModelOutput] = []
    for (place, touched) in sorted.enumerated() {
      if place + 1 < sorted.count, sorted[place + 1].id == touched.id,
        sorted[place + 1].conversation.name.id == touched.conversation.name.id
      {
        continue
      }
      if let status = touched.last ?? touched.conversation.status(of: touched.id) {
        outputs.append(.status(status))
      }
    }
    return outputs
  }
}
