import Core
import Testing
import Wire

/// What is JSON and what is not, by the value of a field that the contract does not know.
@Suite("The decoder's JSON") struct DecoderSJSONTests {
  @Test(arguments: [
    "1e308", "-1.7976931348623157e308", "1e-999", "0e999999999999999999999", "0.0",
    "18446744073709551615", "18446744073709551616", "-9223372036854775809",
    "123456789012345678901234567890", "-123456789012345678901234567890",
    "[99999999999999999999,99999999999999999999.5,-99999999999999999999e2]",
    #"{"99999999999999999999": "99999999999999999999"}"#,
    #"[99999999999999999999, "\"99999999999999999999"]"#, #""\ud83d\ude00""#, #""\u0000""#,
    #""\/\b\f\n\r\t\"\\""#, "\"\u{7F}\u{2028}\"", "[[],{}]", "\t1\r\n",
  ])
  func `Allows what is allowed`(value: String) {
    #expect(isJSON(value))
  }

  @Test(arguments: [
    "1e309", "-1e309", "1e999999999999999999999", "[99999999999999999999, 1e400]", "01", "-",
    "1.",
    ".5", "+1", "1e", "0x10", "NaN", "Infinity", "-Infinity", "tru", "nulll", "True", "'a'",
    "[1,]",
    "{\"a\"}", "{a: 1}", "{\"a\": 1,}", "[1 2]", "\"", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"",
    #""\ud800""#, #""\udfff""#, #""\udc00\ud800""#, #""\ud800\ud800""#, #""\ud800\u0041""#,
    #""\ud800\\udc00""#, #"{"\udc00": 1}"#, "\"\n\"", "\"\u{1}\"", "/* */ 1", "1 // one",
    "99999999999999999999x", "099999999999999999999", "-", "--99999999999999999999",
  ])
  func `Refuses what is not`(value: String) {
    #expect(!isJSON(value))
  }

  @Test func `Takes a number of any length that a double can hold`() {
    #expect(isJSON("1" + String(repeating: "0", count: 308)))
    #expect(!isJSON("1" + String(repeating: "0", count: 309)))
    #expect(isJSON("1" + String(repeating: "0", count: 400) + "e-400"))
    #expect(isJSON("0." + String(repeating: "0", count: 400) + "1e401"))
  }

  @Test(arguments: [0, 1, 2])
  func `Nests 1024 deep and no deeper`(shape: Int) {
    func nested(_ depth: Int) -> String {
      // The record itself is the outermost object.
      switch shape {
      case 0: String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1)
      case 1:
        String(repeating: "[", count: depth - 1) + "1" + String(repeating: "]", count: depth - 1)
      default:
        String(repeating: #"{"[\"{":"#, count: depth - 1)
          + "{}"
          .dropLast(2) + "1" + String(repeating: "}", count: depth - 1)
      }
    }
    for (depth, expected) in [(1024, true), (1025, false), (10_000, false)] {
      let isAllowed = isJSON(nested(depth))
      #expect(isAllowed == expected, "\(depth) deep")
    }
    let inString = isJSON("\"" + String(repeating: "[{", count: 10_000) + "\"")
    #expect(inString)
  }

  @Test(arguments: [
    [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
    [0xF8, 0x88, 0x80, 0x80, 0x80],
  ])
  func `Refuses what is not UTF-8`(bytes: [UInt8]) {
    let inString = Array("{\"x\": \"".utf8) + bytes + Array("\"}".utf8)
    let outside = Array("{".utf8) + bytes + Array("}".utf8)
    for value in [inString, outside, bytes] {
      #expect(described(.messages, key: nil, value) == "ERR_BAD_JSON")
    }
  }

  @Test(arguments: [
    "{}x", "{}{}", " ", "\u{FEFF}{}", "{}\0", "\0{}", "{", "}", "{\"a\":1", "\u{C}{}",
  ])
  func `Refuses more and less than one value`(value: String) {
    #expect(described(.messages, key: nil, Array(value.utf8)) == "ERR_BAD_JSON")
  }

  @Test(arguments: ["1", "\"a\"", "true", "null", "[]", "[{}]", " 1 ", "99999999999999999999"])
  func `Refuses a value that is no object`(value: String) {
    #expect(described(.messages, key: nil, Array(value.utf8)) == "ERR_BAD_RECORD")
  }

  @Test func `Passes on the original as it came, whatever stands around it`() {
    let originals = [
      "{\"id\":1}", "{ \"id\" : 1 }", "{\n\t\"id\": 1,\r\n \"x\": [\"}\", {\"\\\\\": \"\\\"\"}]\n}",
      "{\"id\": 1, \"big\": 99999999999999999999, \"n\": 1.50e+1}",
    ]
    for original in originals {
      for (before, after) in [
        ("", ""), ("\"x\": [{\"message\": 1}], ", ""), ("\"message\": {}, ", ""),
      ] {
        let line = described(
          .deletes,
          """
           \n{\(before)"messageId": 1, "\\u006dessage"  :\t\(original) , \(after)"deletedBy":
           {"uid": "u2"}, "receiverId": "g1", "receiverType": "group"}
          """)
        #expect(line == "delete 1 by u2 in group g1 at -, original \(original)")
      }
    }
  }

  private func isJSON(_ value: String) -> Bool {
    let line = described(
      .messages,
      """
      {"x": \(value), "id": 1, "sender": {"uid": "u1"}, "receiverId": "g1", \
      "receiverType": "group", "category": "message", "sentAt": 2}
      """)
    if line == "ERR_BAD_JSON" { return false }
    #expect(line == "message 1 from u1 at 2000, parent 0")
    return true
  }
}
