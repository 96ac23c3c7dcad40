import BrokerSupport
import Foundation
import Testing

/// The program itself on a real broker. One test at a time: each has processes enough of its own.
@Suite(.serialized, .enabled(if: Broker.isAvailable, "no broker: run ops/setup or set KAFKA_HOME"))
enum Integration {
  /// Why a suite needs Apache Kafka.
  static let needsKafka: Comment =
    "noida-db knows no generations, timeouts and kills: set KAFKA_HOME"
}

/// What the environment asks of these tests.
enum Wish {
  /// The forms that take minutes.
  static let isLong = text("ROLLCALL_LONG") != nil

  /// The value of a variable of the environment.
  static func text(_ name: String) -> String? { ProcessInfo.processInfo.environment[name] }

  /// The number in a variable of the environment.
  static func number<N: LosslessStringConvertible>(_ name: String) -> N? {
    text(name).flatMap(N.init)
  }
}

/// Something that had to happen and did not.
struct Missed: Error, CustomStringConvertible {
  let description: String
}

/// Looks again and again until a condition holds; throws when it does not in time.
func eventually(
  _ what: String, within limit: Duration = .seconds(30), every pause: Duration = .milliseconds(50),
  _ condition: () throws -> Bool
) throws {
  let deadline = ContinuousClock.now + limit
  while try !condition() {
    guard ContinuousClock.now < deadline else { throw Missed(description: "\(what) in \(limit)") }
    rest(pause)
  }
}

/// Lets time pass: between two looks at a condition, or until a fault's chosen instant.
func rest(_ duration: Duration) {
  Thread.sleep(forTimeInterval: duration / .seconds(1))
}

/// Prints a line at once, so that it is there whatever comes after it.
func tell(_ line: String) {
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}
