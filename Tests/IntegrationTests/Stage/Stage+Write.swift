import Core
import Foundation
import Kafka
import Worker

@testable import rollcall

extension Stage {
  /// Writes records in their order and waits until they are there.
  func write(_ records: some Sequence<TimedRecord>) throws {
    let producer = try PlainProducer(clients("writer"), notify: { _ in })
    let topics = try Topic.inputs.map {
      try producer.topic(connection.names[$0], within: .seconds(30))
    }
    for record in records {
      try producer.produce(
        topics[Int(record.topic.rawValue)], partition: record.partition, key: record.key?.span,
        value: record.value?.span, timestamp: record.timestamp, within: .seconds(60))
    }
    try producer.flush(within: .seconds(60))
  }
}

/// A record with all that decides where and when it lies.
struct TimedRecord {
  var topic: InputTopic
  var partition: Int32
  var key: [UInt8]?
  var value: [UInt8]?
  /// In milliseconds of Unix time; the broker's clock counts where topics have `LogAppendTime`.
  var timestamp: Int64
}

extension TimedRecord {
  /// A record of text in the first partition.
  init(_ topic: InputTopic, key: String, _ text: String) {
    self.init(
      topic: topic, partition: 0, key: Array(key.utf8), value: Array(text.utf8), timestamp: 0)
  }
}

extension StoredRecord {
  /// The ids that a record of `chat.events` announces; none for other events.
  func announcedIds() throws -> [Int64] {
    guard
      text.hasPrefix(#"{"event":"messagesDeliveredToAll""#)
        || text.hasPrefix(#"{"event":"messagesReadByAll""#)
    else { return [] }
    return try JSONDecoder().decode(AnnouncedEvent.self, from: Data(value ?? [])).receipt.messageIds
  }
}

private struct AnnouncedEvent: Decodable {
  struct Receipt: Decodable { var messageIds: [Int64] }
  var receipt: Receipt
}
