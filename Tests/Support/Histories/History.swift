import Foundation

@testable import Oracle

/// A random history: options, and the lines that `rollcall replay` reads.
struct History: Sendable {
  var seed: UInt64
  var options: [String: String]
  var lines: [HistoryLine]

  /// One line, with what is needed to put it elsewhere in the history.
  struct HistoryLine: Sendable {
    enum Source: Int, Sendable { case messages, receipts, deletes, tick }

    var source: Source
    var text: Bytes
  }

  /// The one command that runs this history again.
  var command: String {
    "ROLLCALL_SEED=\(seed) swift test --disable-xctest --filter ContractTests"
  }

  /// The seed that the environment names: then one history is run, and looked at closely.
  private static var single: UInt64? {
    ProcessInfo.processInfo.environment["ROLLCALL_SEED"].flatMap(UInt64.init)
  }

  static var isSingle: Bool { single != nil }

  /// The seeds to run: that of `ROLLCALL_SEED`, or else the first `count`, times `ROLLCALL_SEEDS`.
  static func seeds(_ count: UInt64) -> [UInt64] {
    if let single { return [single] }
    let times = ProcessInfo.processInfo.environment["ROLLCALL_SEEDS"].flatMap(UInt64.init) ?? 1
    return Array(0..<(count * times))
  }
}
