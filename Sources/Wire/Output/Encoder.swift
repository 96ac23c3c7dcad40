package import Core

/// Turns what the machine puts out into records.
package struct Encoder: Sendable {
  /// The names of the input topics, for `source.topic`.
  let topicNames: PerInput<String>

  /// An encoder that calls the input topics by these names, the contract's by default.
  package init(topicNames: PerInput<String> = PerInput<String> { Topic($0).defaultName }) {
    self.topicNames = topicNames
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
}
