import Ops
import Synchronization

/// A log that keeps its lines, with a clock that a test moves.
final class RecordedLog: Sendable {
  private let lines = Mutex<[String]>([])
  private let time = Mutex<Int64>(1_771_586_990_000)

  var logger: Logger {
    Logger(
      least: .info, now: { 0 },
      write: { [self] bytes in
        lines.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
      })
  }

  var now: Int64 { time.withLock { $0 } }

  func pass(seconds: Int64) { time.withLock { $0 += seconds * 1000 } }

  /// The lines that came since the last call, without what all begin with.
  func take() -> [String] {
    let taken = lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
    return taken.map { line in
      String(line.dropLast().dropFirst(#"{"time":"1970-01-01T00:00:00.000Z","#.count))
    }
  }
}
