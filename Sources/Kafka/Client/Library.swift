import CKafka

/// The librdkafka that the process runs with.
package enum Library {
  /// Its version as a number, `0xMMmmrrpp` (major, minor, revision, pre-release).
  package static var number: Int32 { rd_kafka_version() }

  /// Its version in words.
  package static var version: String { unsafe String(cString: rd_kafka_version_str()) }

  /// What it was built with, such as `ssl` and `sasl_scram`.
  package static func features() throws(KafkaError) -> [String] {
    let list = try Configuration([]).value("builtin.features") ?? ""
    return list.split(separator: ",").map(String.init)
  }

  /// From here on `cooperative-sticky` neither skips records nor aborts the process nor loops, and
  /// SCRAM answers with the right nonce.
  static let mendedGroupsAndSCRAM: Int32 = 0x0206_0100

  /// From here on `fetch.queue.backoff.ms` is known.
  static let settableQueuePause: Int32 = 0x0202_0000
}
