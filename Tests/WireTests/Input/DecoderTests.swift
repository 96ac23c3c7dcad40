import Core
import GoldenRecords
import Testing
import Wire

@Suite("The decoder") struct DecoderTests {
  @Test(arguments: [
    ("1", "1"), ("9223372036854775807", "9223372036854775807"), ("0", "bad"), ("-1", "bad"),
    ("-0", "bad"), ("1.0", "bad"), ("1e0", "bad"), ("1E2", "bad"), ("9223372036854775808", "bad"),
    ("18446744073709551616", "bad"), ("-9223372036854775809", "bad"), ("\"1\"", "bad"),
    ("true", "bad"), ("[1]", "bad"), ("{}", "bad"), ("1e300", "bad"),
  ])
  func `Takes an Int64 above 0 as an id, in digits only`(written: String, expected: String) {
    let line = described(.messages, message(id: written))
    #expect(
      line
        == (expected == "bad"
          ? "ERR_INVALID_MESSAGE_ID id"
          : "message \(expected) from u1 at 2000, parent 0"))
  }

  @Test(arguments: [
    ("0", "0"), ("-0", "0"), ("-1", "-1000"), ("1.5", "1500"), ("1.0004", "1000"),
    ("1.0006", "1001"), ("-1.0006", "-1001"), ("1771586990.25", "1771586990250"),
    ("1771586990.123", "1771586990123"), ("1.77158699e9", "1771586990000"),
    ("9223372036854775", "9223372036854775000"), ("-9223372036854775", "-9223372036854775000"),
    ("9223372036854776", "bad"), ("-9223372036854776", "bad"), ("9.3e15", "bad"),
    ("-9223372036854776.0", "bad"), ("1e308", "bad"), ("18446744073709551615", "bad"),
    ("99999999999999999999999", "bad"), ("1e-400", "0"), ("\"1\"", "bad"), ("false", "bad"),
    ("[]", "bad"),
  ])
  func `Takes seconds to the nearest millisecond`(written: String, expected: String) {
    let line = described(.messages, message(sentAt: written))
    #expect(
      line
        == (expected == "bad"
          ? "ERR_BAD_RECORD sentAt" : "message 1 from u1 at \(expected), parent 0"))
  }

  @Test(arguments: [
    (1_771_586_990_000, "1771586990", true), (1_771_586_990_000, "1771673390", true),
    (1_771_586_990_000, "1771673390.001", false), (1_771_586_990_000, "1771586990000", false),
    (0, "86400", true), (0, "86401", false), (-1000, "86399", true), (Int64.max, "1", true),
    (-Int64.max, "-9223372036854775", true), (-Int64.max, "0", false), (-Int64.max, "1", false),
    (nil, "9223372036854775", true),
  ])
  func `Takes a backend's time up to a day after the Kafka timestamp`(
    timestamp: Int64?, written: String, isGood: Bool
  ) {
    let message = described(.messages, message(sentAt: written), at: timestamp)
    #expect(message.hasPrefix(isGood ? "message 1 from" : "ERR_BAD_RECORD sentAt"))
    let fields = #""receiverId": "g1", "receiverType": "group", "deletedBy": {"uid": "u1"}"#
    let delete = #"{"messageId": 1, \#(fields), "deletedAt": \#(written)}"#
    let line = described(.deletes, delete, at: timestamp)
    #expect(line.hasPrefix(isGood ? "delete 1 by" : "ERR_BAD_RECORD deletedAt"))
  }

  @Test(arguments: [
    (1_771_586_990_000, "1771586990", "1771586990000"),
    (1_771_586_990_000, "1771586990.001", "1771586990000"),
    (1_771_586_990_000, "1771586989.999", "1771586989999"),
    (1_771_586_990_000, "1771586990000", "1771586990000"), (-5, "0", "-5"), (0, "-5", "-5000"),
    (nil, "1771586990000", "1771586990000000"),
  ])
  func `Takes a device's time up to the Kafka timestamp`(
    timestamp: Int64?, written: String, taken: String
  ) {
    for (kind, field) in [
      ("read", "readAt"), ("delivered", "deliveredAt"), ("unread", "unreadAt"),
    ] {
      let line = described(
        .receipts,
        #"""
        {"receiptType": "\#(kind)", "messageId": 1, "sender": {"uid": "u1"}, "receiverId": "g1",
        "receiverType": "group", "\#(field)": \#(written)}
        """#, at: timestamp)
      #expect(line == "\(kind) by u1 of all up to 1 at \(taken)")
    }
  }

  @Test func `What waits stays good, whatever its times are held against now`() {
    var decoder = Decoder(ofWhatWaits: Rules())
    let fields = #""receiverId": "g1", "receiverType": "group", "deletedBy": {"uid": "u1"}"#
    let delete = #"{"messageId": 1, \#(fields), "deletedAt": 1771586990000}"#
    let line = decoded(
      .deletes, key: Array("group_g1".utf8), Array(delete.utf8), at: 1_771_586_990_000,
      with: &decoder
    ).line
    #expect(line == "delete 1 by u1 in group g1 at 1771586990000000")
  }

  @Test(arguments: [
    (#""receiverId": "g1", "receiverType": "group""#, "group_g1"),
    (#""receiverId": "u0", "receiverType": "user""#, "u0_user_u1"),
    (#""receiverId": "g1", "receiverType": "group", "conversationId": "x""#, "group_g1"),
  ])
  func `Says which key a record should have`(receiver: String, expected: String) {
    var decoder = Decoder(rules: Rules())
    let value = #"{"receiptType": "read", "messageId": 1, "sender": {"uid": "u1"}, \#(receiver)}"#
    for key in ["other", expected] {
      let event = decoded(.receipts, key: Array(key.utf8), Array(value.utf8), with: &decoder)
      let isWrong = key == "other" || receiver.contains("conversationId")
      #expect(event.line.hasPrefix("ERR_WRONG_KEY") == isWrong)
      #expect(event.expectedKey.map { event.text($0) } == (isWrong ? expected : nil))
    }
    let event = decoded(
      .receipts, key: [UInt8](repeating: 107, count: 1025), Array(value.utf8), with: &decoder)
    #expect(event.line == "ERR_WRONG_KEY")
    #expect(event.expectedKey.map { event.text($0) } == expected)
    // What is skipped behind it has none: nobody has looked into it.
    var next = event
    next.skip(event.coordinates)
    #expect(next.line == "ERR_SKIPPED" && next.expectedKey == nil)
  }

  @Test(arguments: [
    ("u", true), (String(repeating: "u", count: 128), true),
    (String(repeating: "u", count: 129), false),
    (String(repeating: "é", count: 64), true), (String(repeating: "é", count: 65), false),
    ("", false), (" ", true), ("\\u0000", true), ("😀", true),
  ])
  func `Takes uids of 1 to 128 bytes`(uid: String, isGood: Bool) {
    let line = described(.messages, message(sender: #"{"uid": "\#(uid)"}"#))
    #expect(line.hasPrefix(isGood ? "message 1" : "ERR_BAD_RECORD sender.uid"))
  }

  @Test(arguments: [
    ("u2", "u1", "u1_user_u2", true), ("u1", "u2", "u1_user_u2", true),
    ("u1", "u2", "u2_user_u1", false), ("u1", "u1", "u1_user_u1", true),
    ("a", "B", "B_user_a", true), ("é", "z", "z_user_é", true),
    ("u1", "u10", "u1_user_u10", true),
    ("group", "a", "a_user_group", true),
    ("grouq_", "a", "a_user_grouq_", true),
  ])
  func `Derives the key of a pair in byte order`(
    one: String, other: String, key: String, isGood: Bool
  ) {
    let line = described(
      .messages, key: key,
      message(sender: #"{"uid": "\#(one)"}"#, receiver: (other, "user")))
    #expect(line.hasPrefix(isGood ? "message 1" : "ERR_WRONG_KEY"))
  }

  @Test(arguments: [
    ("a_user_b", "c"), ("c", "a_user_b"), ("a_user", "b"), ("_user", "b"), ("a", "user_b"),
    ("group_a", "z"),
    ("z", "group_"),
  ])
  func `Refuses a pair whose id could be read in two ways`(one: String, other: String) {
    for key in ["\(one)_user_\(other)", "\(other)_user_\(one)"] {
      let line = described(
        .messages, key: key, message(sender: #"{"uid": "\#(one)"}"#, receiver: (other, "user")))
      #expect(line == "ERR_BAD_RECORD receiverId")
    }
  }

  @Test func `Refuses a value above the limit without looking at it`() {
    var rules = Rules()
    let value = message()
    rules.maxRecordBytes = value.utf8.count
    #expect(described(.messages, value, rules: rules).hasPrefix("message 1"))
    #expect(described(.messages, value + " ", rules: rules) == "ERR_RECORD_TOO_LARGE")
    #expect(described(.messages, "{" + value, rules: rules) == "ERR_RECORD_TOO_LARGE")
  }

  @Test func `Refuses a value that is null or empty`() {
    #expect(described(.messages, key: Array("group_g1".utf8), nil) == "ERR_BAD_RECORD")
    #expect(described(.messages, key: Array("group_g1".utf8), []) == "ERR_BAD_RECORD")
  }

  @Test func `Knows no unread receipt while enhanced messaging status is off`() {
    var rules = Rules()
    rules.enhancedMessagingStatus = false
    let read = #"{"receiptType": "read", "messageId": 1, "sender": {"uid": "u2"}, \#(group)}"#
    let unread = #"{"receiptType": "unread", "messageId": 1, "sender": {"uid": "u2"}, \#(group)}"#
    #expect(described(.receipts, read, rules: rules).hasPrefix("read by u2"))
    #expect(described(.receipts, unread, rules: rules) == "ERR_BAD_RECORD receiptType")
    #expect(described(.receipts, unread).hasPrefix("unread by u2"))
  }

  @Test(arguments: [("37000", ", parent 37000"), ("0", ""), ("null", ""), ("-1", "")])
  func `Takes the thread of a receipt where threads are separate`(parent: String, end: String) {
    var rules = Rules()
    rules.threads = .separate
    let receipt = """
      {"receiptType": "read", "messageId": 1, "sender": {"uid": "u2"}, \(group),
       "parentMessageId": \(parent)}
      """
    let line = "read by u2 of all up to 1 at -"
    #expect(described(.receipts, receipt, rules: rules) == line + end)
    #expect(described(.receipts, receipt) == line)
  }

  @Test(arguments: [
    (InputTopic.messages, message(id: "0", sentAt: "1.5"), 1500 as Int64?),
    (.messages, message(sentAt: "\"x\""), nil),
    (.receipts, #"{"receiptType": "read", "readAt": 2, "deliveredAt": 1}"#, 2000),
    (.receipts, #"{"receiptType": "delivered", "readAt": 2, "deliveredAt": 1}"#, 1000),
    (.receipts, #"{"receiptType": "unread", "unreadAt": 3}"#, 3000),
    (.receipts, #"{"readAt": 2}"#, nil),
    (.deletes, #"{"deletedAt": 4}"#, 4000), (.deletes, "{", nil),
  ])
  func `Gives a record's own time, be it good or bad`(
    topic: InputTopic, value: String, milliseconds: Int64?
  ) {
    var decoder = Decoder(rules: Rules())
    let event = decoded(topic, key: nil, Array(value.utf8), with: &decoder)
    #expect(event.ownTime?.milliseconds == milliseconds)
  }

  @Test(arguments: [
    (message(), "group_g1"), (message(id: "0"), "group_g1"), (message(sender: "7"), "group_g1"),
    (message(receiver: ("u2", "user")), "u1_user_u2"),
    (message(sender: "7", receiver: ("u2", "user")), nil),
    (message(receiver: ("", "group")), nil),
    (message(receiver: ("a_user_b", "user")), nil), ("{", nil), ("", nil), ("[]", nil),
  ])
  func `Derives the key where none is given, be the record good or bad`(value: String, key: String?)
  {
    var decoder = Decoder(rules: Rules())
    let coordinates = Coordinates(topic: .messages, partition: 0, offset: 0, timestamp: nil)
    var event = Event(coordinates: coordinates)
    let bytes = Array(value.utf8)
    decoder.decodeDerivingKey(coordinates, value: bytes.span, into: &event)
    #expect(decoder.derivedKey == key.map { Array($0.utf8) })
    if value == message() { #expect(event.line.hasPrefix("message 1")) }
  }

  @Test func `Leaves nothing of the former record behind`() {
    var decoder = Decoder(rules: Rules())
    for golden in Golden.bad + Golden.good + Golden.bad {
      let again = decoded(golden.topic, key: golden.key, golden.value, with: &decoder)
      #expect(again.line == described(golden.topic, key: golden.key, golden.value))
    }
  }
}

private let group = #""receiverId": "g1", "receiverType": "group""#

/// A message with one field changed.
private func message(
  id: String = "1", sender: String = #"{"uid": "u1"}"#, sentAt: String = "2",
  receiver: (id: String, type: String) = ("g1", "group")
) -> String {
  """
  {"id": \(id), "sender": \(sender), "receiverId": "\(receiver.id)", \
  "receiverType": "\(receiver.type)", "category": "message", "sentAt": \(sentAt)}
  """
}
