import Foundation

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
    "ROLLCALL_SEED=\(seed) swift test --disable-xctest --filter ModelTests"
  }

  /// The seeds to run: those that the environment names (`ROLLCALL_SEED=7`, or
  /// `ROLLCALL_SEEDS=5000` for as many of them), or else the first `count`.
  static func seeds(_ count: UInt64) -> [UInt64] {
    let environment = ProcessInfo.processInfo.environment
    if let seed = environment["ROLLCALL_SEED"].flatMap(UInt64.init) { return [seed] }
    return Array(0..<(environment["ROLLCALL_SEEDS"].flatMap(UInt64.init) ?? count))
  }
}
