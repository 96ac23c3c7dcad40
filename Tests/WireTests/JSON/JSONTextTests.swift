import Core
import Foundation
import Testing

@testable import Wire

@Suite("JSON text") struct JSONTextTests {
  @Test(arguments: [
    (0, "0"), (1, "0.001"), (10, "0.01"), (100, "0.1"), (999, "0.999"), (1_000, "1"),
    (1_500, "1.5"), (1_771_586_990_250, "1771586990.25"), (-1, "-0.001"), (-1_500, "-1.5"),
    (-2_000, "-2"), (Int64.max, "9223372036854775.807"), (Int64.min, "-9223372036854775.808"),
  ])
  func `Has times in seconds, without a fraction when whole`(milliseconds: Int64, text: String) {
    var bytes: [UInt8] = []
    bytes.append(seconds: Instant(milliseconds: milliseconds))
    #expect(String(decoding: bytes, as: UTF8.self) == text)
  }

  @Test(arguments: [0, 9, 10, -1, -10, Int64.max, Int64.min])
  func `Has whole numbers`(number: Int64) {
    var bytes: [UInt8] = []
    bytes.append(decimal: number)
    #expect(String(decoding: bytes, as: UTF8.self) == "\(number)")
  }

  @Test(arguments: [
    ("", #""""#), ("a", #""a""#), ("\"\\/", #""\"\\/""#), ("\n\r\t\u{8}\u{C}", #""\n\r\t\b\f""#),
    ("\u{0}\u{1}\u{F}\u{10}\u{1F}", #""\u0000\u0001\u000f\u0010\u001f""#),
    ("\u{7F}é\u{2028}😀", "\"\u{7F}é\u{2028}😀\""), ("a\"b\"", #""a\"b\"""#),
  ])
  func `Has strings with no more escapes than needed`(string: String, text: String) {
    var bytes: [UInt8] = []
    bytes.append(quoted: Array(string.utf8).span)
    #expect(String(decoding: bytes, as: UTF8.self) == text)
  }

  @Test func `Reads back as it was`() throws {
    for first in 0..<0x80 {
      let string = String(UnicodeScalar(UInt8(first))) + "x" + String(UnicodeScalar(UInt8(first)))
      var bytes: [UInt8] = []
      bytes.append(quoted: Array(string.utf8).span)
      #expect(try JSONDecoder().decode(String.self, from: Data(bytes)) == string)
    }
  }
}
