import Core
import Worker

extension MemoryBroker {
  /// A digest of what a `read_committed` reader sees in the topics that workers write.
  func digest() -> UInt64 {
    var digest = Digest()
    for topic in Topic.allCases where topic.rawValue >= Topic.events.rawValue {
      for partition in 0..<partitionCount {
        for record in committedRecords(topic, partition: partition) {
          digest.add(record.offset)
          digest.add(record.timestamp?.milliseconds ?? -1)
          digest.add(record.key)
          digest.add(record.value)
          for name in record.headers.keys.sorted() {
            digest.add(Array(name.utf8))
            digest.add(record.headers[name].map { Array($0.utf8) })
          }
        }
      }
    }
    return digest.value
  }
}

/// Fowler, Noll and Vo's hash (FNV-1a), the same in every process.
private struct Digest {
  private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ number: Int64) {
    for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  /// Adds bytes behind their number, so that they cannot be mistaken for their neighbours.
  mutating func add(_ bytes: [UInt8]?) {
    add(Int64(bytes?.count ?? -1))
    for byte in bytes ?? [] { add(byte) }
  }

  private mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
}
