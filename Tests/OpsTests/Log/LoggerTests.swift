import Ops
import Synchronization
import Testing

@Suite struct LoggerTests {
  /// Takes lines on any thread.
  private final class Lines: Sendable {
    private let lines = Mutex<[String]>([])

    func append(_ bytes: [UInt8]) {
      lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
    }

    var all: [String] { lines.withLock { $0 } }
  }

  private let lines = Lines()

  private func logger(_ least: Logger.Level) -> Logger {
    let lines = lines
    return Logger(least: least, now: { 1_771_586_990_007 }, write: { lines.append($0) })
  }

  @Test("A line is one JSON object") func aLineIsOneJSONObject() {
    logger(.info).with(["shard": .count(1)]).log(
      .warning, "something",
      [
        "text": .text("a \"b\" \\ \n\u{1} ü"), "number": .number(-5), "truth": .truth(true),
        "list": .numbers([1, 2]), "none": .list([]),
      ])
    #expect(
      lines.all == [
        #"{"time":"2026-02-20T11:29:50.007Z","level":"warning","message":"something","shard":1,"#
          + #""text":"a \"b\" \\ \n\u0001 ü","number":-5,"truth":true,"list":[1,2],"none":[]}"#
          + "\n"
      ])
  }

  @Test("What matters less is left out", arguments: Logger.Level.allCases)
  func whatMattersLessIsLeftOut(least: Logger.Level) {
    for level in Logger.Level.allCases { logger(least).log(level, "x") }
    #expect(lines.all.count == Logger.Level.allCases.count { $0 <= least })
  }
}
