import Core
import Foundation
import Kafka
import Lab
import Worker

@testable import rollcall

extension Stage {
  /// Writes a traffic's records in their order, each to its key's partition, and waits until they
  /// are there.
  func write(_ records: [ExampleTraffic.Record]) throws {
    let now = Int64(Date().timeIntervalSince1970 * 1000)
    try write(
      records.map { record in
        let partition = Partitioner.murmur2.partition(of: record.key.span, count: partitionCount)
        return TimedRecord(
          topic: record.topic, partition: partition, key: record.key, value: record.value,
          timestamp: now)
      })
  }

  /// Writes records in their order and waits until they are there.
  func write(_ records: [TimedRecord]) throws {
    let producer = try PlainProducer(clients("writer"), notify: { _ in })
    let topics = try LogTopic.inputs.map {
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
  /// In milliseconds of Unix time.
  var timestamp: Int64
}
