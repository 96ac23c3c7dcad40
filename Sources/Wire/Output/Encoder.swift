package import Core

/// Turns what the machine puts out into records.
package struct Encoder: Sendable {
  /// The names of the input topics, by their raw value, for `source.topic`.
  private let topicNames: [[UInt8]]

  /// An encoder that calls the input topics by these names, the contract's by default.
  package init(topicName: (InputTopic) -> String = defaultTopicName) {
    topicNames = InputTopic.allCases.map { Array(topicName($0).utf8) }
  }

  /// The name that the contract gives to an input topic.
  package static func defaultTopicName(_ topic: InputTopic) -> String {
    switch topic {
    case .messages: "chat.messages"
    case .receipts: "chat.receipts"
    case .deletes: "chat.deletes"
    }
  }

  /// Appends the records of all outputs, in the order of the contract.
  package func encode(
    _ outputs: Outputs, partition: Int32, into records: inout EncodedRecords
  ) {
    outputs.forEach { item in
      switch item {
      case .messageDeleted(let deleted):
        records.append(event: deleted.conversation, of: outputs) {
          $0.append(deleted, of: outputs, partition: partition)
        }
        records.append(actionOn: deleted, of: outputs)
      case .receiptAdded(let added):
        records.append(event: added.conversation, of: outputs) {
          $0.append(added, of: outputs, partition: partition)
        }
      case .announcement(let announcement):
        records.append(event: announcement.conversation, of: outputs) {
          $0.append(announcement, of: outputs)
        }
      case .response(let response):
        records.append(event: response.conversation, of: outputs) {
          $0.append(response, of: outputs, partition: partition)
        }
      case .unreadChanged(let changed):
        records.append(event: changed.conversation, of: outputs) {
          $0.append(changed, of: outputs, partition: partition)
        }
      case .threadUpdated(let updated):
        records.append(event: updated.conversation, of: outputs) {
          $0.append(updated, of: outputs, partition: partition)
        }
      case .status(let status):
        records.append(status, of: outputs)
      case .rejected(let rejected):
        append(rejected, of: outputs, to: &records)
      }
    }
  }

  /// A record of `chat.rejected`: key and value untouched, the reason and the source as headers.
  private func append(_ rejected: Rejected, of outputs: Outputs, to records: inout EncodedRecords) {
    let key = rejected.key.map { key in
      records.append { $0.append(key, of: outputs) }
    }
    let value = rejected.value.map { value in
      records.append { $0.append(value, of: outputs) }
    }
    let firstHeader = records.headers.count
    let rejection = rejected.rejection
    let source = rejected.source
    records.appendHeader("error.code") { $0.append(contentsOf: rejection.code.rawValue.utf8) }
    records.appendHeader("error.message") {
      $0.append(rejection.message)
      if let key = rejected.expectedKey {
        $0.append(" They give ")
        $0.append(key, of: outputs)
        $0.append(".")
      }
    }
    if let field = rejection.field {
      records.appendHeader("error.field") { $0.append(field) }
    }
    records.appendHeader("source.topic") {
      $0.append(contentsOf: topicNames[Int(source.topic.rawValue)])
    }
    records.appendHeader("source.partition") { $0.append(decimal: source.partition) }
    records.appendHeader("source.offset") { $0.append(decimal: source.offset) }
    records.appendHeader("source.timestamp") {
      $0.append(decimal: rejected.timestamp.milliseconds)
    }
    if let count = rejected.omittedBytes {
      records.appendHeader("source.bytes") { $0.append(decimal: count) }
    }
    if let count = rejected.omittedKeyBytes {
      records.appendHeader("source.keyBytes") { $0.append(decimal: count) }
    }
    records.records.append(
      EncodedRecords.Record(
        topic: .rejected, key: key, value: value, headers: firstHeader..<records.headers.count))
  }
}

extension EncodedRecords {
  fileprivate mutating func appendHeader(
    _ name: StaticString, _ write: (inout [UInt8]) -> Void
  ) {
    headers.append(Header(name: name, value: append(write)))
  }
}
