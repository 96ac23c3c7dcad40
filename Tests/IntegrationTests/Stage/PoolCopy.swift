import BrokerSupport
import Core
import Kafka
import Worker

@testable import rollcall

/// All that a pool has left on the broker, to be written anew with something changed.
struct PoolCopy {
  /// By topic and partition.
  var records: [Topic: [[StoredRecord]]] = [:]

  private let stage: Stage
  private static let headers = [
    "error.code", "error.message", "error.field", "source.topic", "source.partition",
    "source.offset", "source.timestamp", "source.bytes", "source.keyBytes",
  ]

  /// Reads what is committed.
  init(_ stage: Stage) throws {
    self.stage = stage
    for topic in Topic.allCases {
      records[topic] = try stage.read(topic, headers: topic == .rejected ? Self.headers : [])
    }
  }

  /// Changes one record of a topic: the last that the change is possible for.
  ///
  /// - Parameter change: gives what comes in its place; nil where it is not possible.
  mutating func change(_ topic: Topic, _ change: (StoredRecord) -> [StoredRecord]?) throws {
    for partition in (records[topic] ?? []).indices {
      for index in (records[topic]?[partition] ?? []).indices.reversed() {
        guard let record = records[topic]?[partition][index], let others = change(record) else {
          continue
        }
        records[topic]?[partition].replaceSubrange(index...index, with: others)
        return
      }
    }
    throw Missed(description: "a record of \(topic) that can be changed")
  }

  /// Writes it to topics of their own.
  func write() throws -> Stage {
    let copy = try Stage(
      Broker.shared(), partitions: stage.partitionCount, timestamps: "CreateTime",
      group: stage.group)
    try write(behind: nil, to: copy)
    return copy
  }

  /// Writes it to topics that have what another copy has.
  func write(behind before: PoolCopy?, to copy: Stage) throws {
    let producer = try PlainProducer(copy.clients("copy"), notify: { _ in })
    for (topic, partitions) in records {
      let written = try producer.topic(copy.connection.names[topic], within: .seconds(30))
      for (partition, records) in partitions.enumerated() {
        for record in records.dropFirst(before?.records[topic]?[partition].count ?? 0) {
          try producer.produce(
            written, partition: Int32(partition), key: record.key?.span, value: record.value?.span,
            headers: headers(of: record, copy), timestamp: record.timestamp, within: .seconds(60))
        }
      }
    }
    try producer.flush(within: .seconds(60))
  }

  /// The headers, with the copy's names of the topics.
  private func headers(of record: StoredRecord, _ copy: Stage) -> [(name: String, value: [UInt8])] {
    zip(Self.headers, record.headers).filter { !$0.1.isEmpty }.map { name, value in
      let topic = Topic.inputs.first { stage.connection.names[$0] == value }
      let text = topic.map { copy.connection.names[$0] } ?? value
      return ("\(name)", Array(text.utf8))
    }
  }
}
