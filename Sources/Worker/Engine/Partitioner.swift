import Core

/// How producers choose a partition by the key: the two ways that clients have by default.
package enum Partitioner: String, CaseIterable, Sendable {
  /// Kafka's own clients.
  case murmur2
  /// librdkafka and the clients made of it.
  case crc32

  /// The partition that a key belongs to.
  ///
  /// - Parameter count: the number of partitions; at least 1.
  package func partition(of key: Span<UInt8>, count: Int32) -> Int32 {
    precondition(count > 0)
    return switch self {
    case .murmur2: Int32(Partitioner.murmur2(key) & 0x7FFF_FFFF) % count
    case .crc32: Int32(Partitioner.crc32(key) % UInt32(count))
    }
  }

  /// Austin Appleby's MurmurHash2 with the seed of Kafka's clients.
  package static func murmur2(_ key: Span<UInt8>) -> UInt32 {
    let multiplier: UInt32 = 0x5BD1_E995
    var hash: UInt32 = 0x9747_B28C ^ UInt32(truncatingIfNeeded: key.count)
    let whole = key.count & ~3
    for start in stride(from: 0, to: whole, by: 4) {
      var word: UInt32 = 0
      for byte in 0..<4 { word |= UInt32(key[start + byte]) << (8 * byte) }
      word = word &* multiplier
      word ^= word >> 24
      hash = (hash &* multiplier) ^ (word &* multiplier)
    }
    if whole < key.count {
      for byte in whole..<key.count { hash ^= UInt32(key[byte]) << (8 * (byte - whole)) }
      hash = hash &* multiplier
    }
    hash ^= hash >> 13
    hash = hash &* multiplier
    return hash ^ (hash >> 15)
  }

  /// The CRC of zlib and Ethernet.
  package static func crc32(_ key: Span<UInt8>) -> UInt32 {
    var crc = UInt32.max
    for index in key.indices {
      crc ^= UInt32(key[index])
      for _ in 0..<8 { crc = (crc >> 1) ^ (0xEDB8_8320 & (0 &- (crc & 1))) }
    }
    return ~crc
  }
}

/// Finds out, from the first keys of each input topic, whether its records lie where the keys of
/// the other topics lead: a conversation whose topics disagree is torn apart.
struct PartitionerProbe {
  /// A topic whose keys lie elsewhere than expected.
  struct Doubt: Equatable {
    var topic: InputTopic
    /// The way that fits its keys; nil: neither.
    var likely: Partitioner?
  }

  /// What one topic's keys have shown.
  private struct Evidence {
    var keys = 0
    /// Keys that only one of the two ways explains.
    var onlyMurmur2 = 0
    var onlyCRC32 = 0
    var isSettled = false
  }

  /// Enough keys to know, and too few to cost anything.
  private static let sampleKeys = 256

  /// The topics were found to disagree.
  private var isTorn = false
  private var topics: PerInput<Evidence> = [Evidence(), Evidence(), Evidence()]

  /// Whether this topic's keys are still looked at.
  func isOpen(_ topic: InputTopic) -> Bool { !topics[topic].isSettled }

  /// Looks at one key; says, once a topic, what is wrong.
  mutating func observe(
    _ key: Span<UInt8>, topic: InputTopic, partition: Int32, count: Int32
  ) -> Doubt? {
    let isMurmur2 = Partitioner.murmur2.partition(of: key, count: count) == partition
    let isCRC32 = Partitioner.crc32.partition(of: key, count: count) == partition
    topics[topic].keys += 1
    if isMurmur2, !isCRC32 { topics[topic].onlyMurmur2 += 1 }
    if isCRC32, !isMurmur2 { topics[topic].onlyCRC32 += 1 }
    if !isMurmur2, !isCRC32 { return settle(topic, likely: nil) }
    // Two clients' defaults mixed: the topic that shows it is named, and that is enough.
    let hasBoth =
      topics.contains { $0.onlyMurmur2 > 0 } && topics.contains { $0.onlyCRC32 > 0 }
    if hasBoth, !isTorn, isMurmur2 != isCRC32 {
      isTorn = true
      return settle(topic, likely: isMurmur2 ? .murmur2 : .crc32)
    }
    if topics[topic].keys >= PartitionerProbe.sampleKeys { topics[topic].isSettled = true }
    return nil
  }

  private mutating func settle(_ topic: InputTopic, likely: Partitioner?) -> Doubt {
    topics[topic].isSettled = true
    return Doubt(topic: topic, likely: likely)
  }
}
