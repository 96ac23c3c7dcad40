import Core

@testable import Oracle

/// The messages of a history of which the contract says that the order of the topics decides.
struct InterleavingExceptions {
  /// Threads of which only a deleter's scope decides whether a reply stands.
  private(set) var threads: Set<MessageKey> = []
  /// Messages for which there is a delete record: a delete against the receipts of its message.
  private var deleted: Set<MessageKey> = []
  /// Messages that were tracked when their group passed its second limit.
  private var ended: Set<MessageKey> = []
  /// What is covered by a receipt that was passed over, or freed, past the second limit, if it was
  /// not applied after it.
  private var passedOver: Set<MessageKey> = []

  /// Whether an exception touches a message.
  func touch(_ message: MessageKey) -> Bool {
    deleted.contains(message) || ended.contains(message) || passedOver.contains(message)
  }

  init(_ history: History) throws {
    var known: [Bytes: [Int64: Record]] = [:]
    var knownPastLimit: [Bytes: Set<Int64>] = [:]
    var run = MachineRun(Machine(partition: 0, rules: try Engine.rules(history.options)))
    for line in history.lines where line.source == .messages {
      let record = try Record(line)
      if let id = record["id"], record.value["editedAt"] == nil, known[record.key]?[id] == nil {
        known[record.key, default: [:]][id] = record
      }
      _ = try run.write(line.text)
      for group in run.groupsPastLimit() {
        knownPastLimit[group] = Set((known[group] ?? [:]).keys)
      }
      ended.formUnion(run.messagesEndedByLimit())
    }
    for line in history.lines where line.source == .receipts {
      let receipt = try Record(line)
      guard let ids = knownPastLimit[receipt.key] else { continue }
      let covered = (known[receipt.key] ?? [:]).filter { id, message in
        if let upTo = receipt["messageId"] { return ids.contains(upTo) && id <= upTo }
        return receipt.value["conversation"] == true && message.time <= receipt.time
      }
      passedOver.formUnion(covered.keys.map { .message(receipt.key, $0) })
    }
    try noteDeletes(history, known)
  }

  /// The sender's delete holds sooner or later; another's only if he may when it is applied.
  private mutating func noteDeletes(_ history: History, _ known: [Bytes: [Int64: Record]]) throws {
    let deletes = try history.lines.filter { $0.source == .deletes }.map { try Record($0) }
    var byTheirSender: Set<MessageKey> = []
    for delete in deletes {
      guard let id = delete["messageId"] else { continue }
      deleted.insert(.message(delete.key, id))
      let original = delete.value["message"] ?? [:]
      let isGood = original == [:] || original["id"] == .int(id)
      let sender = known[delete.key]?[id]?.value["sender"]?["uid"]
      if isGood, delete.value["deletedBy"]?["uid"] == sender {
        byTheirSender.insert(.message(delete.key, id))
      }
    }
    for (key, messages) in known {
      for (id, message) in messages {
        let name = MessageKey.message(key, id)
        guard let parent = message["parentMessageId"], deleted.contains(name),
          !byTheirSender.contains(name)
        else { continue }
        threads.insert(.message(key, parent))
      }
    }
  }

  /// A record of a history that depends on no order: it has a time and a timestamp.
  private struct Record {
    var value: JSON
    var key: Bytes
    /// In milliseconds: of a message when it was sent, of a receipt what it covers.
    var time: Int64

    init(_ line: History.HistoryLine) throws {
      let members = try JSON.parse(line.text)
      if case .string(let raw)? = members["raw"] {
        value = try JSON.parse(raw)
      } else {
        value = members["value"] ?? .null
      }
      key = HistoryPlace.key(of: value)
      let own = value["sentAt"] ?? value["readAt"] ?? value["deliveredAt"]
      time = own.flatMap(\.milliseconds) ?? .max
      if line.source == .receipts, case .int(let timestamp)? = members["timestamp"] {
        time = min(time, timestamp)
      }
    }

    /// An id.
    subscript(name: Bytes) -> Int64? {
      guard case .int(let id)? = value[name] else { return nil }
      return id
    }
  }
}

extension JSON {
  fileprivate var milliseconds: Int64? {
    switch self {
    case .int(let seconds): seconds * 1000
    case .real(let seconds): Int64((seconds * 1000).rounded())
    case .null, .bool, .string, .array, .object: nil
    }
  }
}

extension MachineRun {
  /// The conversations whose roster is forgotten for their size.
  fileprivate borrowing func groupsPastLimit() -> [Bytes] {
    var groups: [Bytes] = []
    machine.forEachPiece { piece in
      guard case .conversation(let state) = piece, state.roster == .tooLarge else { return }
      groups.append(Bytes(state.conversation))
    }
    return groups
  }

  fileprivate borrowing func messagesEndedByLimit() -> [MessageKey] {
    var messages: [MessageKey] = []
    machine.forEachPiece { piece in
      guard case .message(let state) = piece,
        case .message(_, _, _, tracking: .ended(.groupTooLarge), _, _) = state.body
      else { return }
      messages.append(.message(Bytes(state.conversation), state.id))
    }
    return messages
  }
}
