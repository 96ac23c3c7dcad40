package import Core
import Wire

/// A record of the traffic, as it was written to its topic.
package struct SimulationInput: Equatable, Sendable {
  /// Its place in the traffic, counted from 0.
  package var place: Int
  /// The partition that it was written to.
  package var partition: Int32
  /// The topic that it was written to.
  package var topic: InputTopic
  /// Its timestamp; nil: it has none.
  package var timestamp: Instant?
  /// Its key; nil: it has none.
  package var key: [UInt8]?
  /// Its value.
  package var value: [UInt8]

  /// It as `rollcall replay` reads it, which passes over `place` and `partition`; what is not UTF-8
  /// is U+FFFD there.
  package var line: String {
    var line = #"{"place":\#(place),"partition":\#(partition),"topic":"\#(topic)""#
    line += #","key":\#(key.map(Self.quoted) ?? "null")"#
    if let timestamp { line += #","timestamp":\#(timestamp.milliseconds)"# }
    let plain = line + #","value":\#(String(decoding: value, as: UTF8.self))}"#
    return Self.reads(plain, value) ? plain : line + #","raw":\#(Self.quoted(value))}"#
  }

  /// Whether a line is one, and gives back the value.
  private static func reads(_ line: String, _ value: [UInt8]) -> Bool {
    guard !line.utf8.contains(UInt8(ascii: "\n")) else { return false }
    var reader = ReplayLine()
    do throws(Malformed) {
      _ = try reader.read(Array(line.utf8).span)
      return reader.value == value
    } catch {
      return false
    }
  }

  private static func quoted(_ text: [UInt8]) -> String {
    var quoted: [UInt8] = []
    quoted.append(quoted: Array(String(decoding: text, as: UTF8.self).utf8).span)
    return String(decoding: quoted, as: UTF8.self)
  }
}
