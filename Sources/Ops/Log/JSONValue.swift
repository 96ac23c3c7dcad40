/// A JSON value, written in one line as it is put together.
package enum JSONValue: Equatable, Sendable {
  case text(String)
  case number(Int64)
  /// A number with a fraction.
  case decimal(Double)
  case truth(Bool)
  /// `null`.
  case absent
  case list([JSONValue])
  /// Members in their order.
  case object([(String, JSONValue)])

  /// A count; absent where it is not known.
  package static func count(_ count: Int?) -> JSONValue {
    count.map { .number(Int64($0)) } ?? .absent
  }

  /// A list of numbers.
  package static func numbers(_ numbers: some Sequence<Int32>) -> JSONValue {
    .list(numbers.map { .number(Int64($0)) })
  }

  /// A time in seconds, to the millisecond.
  package static func seconds(_ duration: Duration) -> JSONValue {
    .decimal(Double(Int(duration / .milliseconds(1))) / 1000)
  }

  /// Whether two values are written alike.
  package static func == (a: JSONValue, b: JSONValue) -> Bool { a.json == b.json }

  /// The value as text.
  package var json: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Writes the value behind what is there.
  ///
  /// - Parameter isShort: line feed, return and tab as `\n`, `\r` and `\t`; else by their numbers.
  package func append(to bytes: inout [UInt8], isShort: Bool = true) {
    switch self {
    case .text(let text): Self.append(text, isShort, to: &bytes)
    case .number(let number): bytes += Array(String(number).utf8)
    case .decimal(let number): bytes += Array(String(number).utf8)
    case .truth(let truth): bytes += Array(String(truth).utf8)
    case .absent: bytes += Array("null".utf8)
    case .list(let values):
      Self.append(values, between: "[", "]", to: &bytes) {
        $0.append(to: &$1, isShort: isShort)
      }
    case .object(let members):
      Self.append(members, between: "{", "}", to: &bytes) { member, bytes in
        Self.append(member.0, isShort, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        member.1.append(to: &bytes, isShort: isShort)
      }
    }
  }

  private static func append<Element>(
    _ elements: [Element], between start: Unicode.Scalar, _ end: Unicode.Scalar,
    to bytes: inout [UInt8], _ append: (Element, inout [UInt8]) -> Void
  ) {
    bytes.append(UInt8(ascii: start))
    for (index, element) in elements.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      append(element, &bytes)
    }
    bytes.append(UInt8(ascii: end))
  }

  private static func append(_ text: String, _ isShort: Bool, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n") where isShort: bytes += Array("\\n".utf8)
      case UInt8(ascii: "\r") where isShort: bytes += Array("\\r".utf8)
      case UInt8(ascii: "\t") where isShort: bytes += Array("\\t".utf8)
      case 0..<0x20:
        bytes += Array((byte < 0x10 ? "\\u000" : "\\u00").utf8)
        bytes += Array(String(byte, radix: 16).utf8)
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
