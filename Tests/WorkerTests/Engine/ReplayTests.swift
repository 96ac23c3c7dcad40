import Core
import Foundation
import Testing
import Wire

@testable import Worker

@Suite struct ReplayTests {
  private static let roster =
    #"""
    {"topic":"messages","value":{"id":1,"category":"action","type":"groupMember",\#
    "action":"roster","actionBy":{"uid":"A"},"actionOn":[{"uid":"A"},{"uid":"B"}],\#
    "receiverId":"g1","receiverType":"group","sentAt":1771586000}}
    """#
  private static let message =
    #"""
    {"topic":"messages","value":{"id":2,"sender":{"uid":"A"},"receiverId":"g1",\#
    "receiverType":"group","category":"message","sentAt":1771586001}}
    """#
  private static let receipt =
    #"""
    {"topic":"receipts","value":{"receiptType":"read","messageId":2,"sender":{"uid":"B"},\#
    "receiverId":"g1","receiverType":"group","readAt":1771586002}}
    """#

  private func replay(_ lines: [String], rules: Rules = Rules()) throws -> [String] {
    try replay(lines.map { Array($0.utf8) }, rules: rules)
  }

  private func replay(_ lines: [[UInt8]], rules: Rules = Rules()) throws -> [String] {
    var replay = Replay(rules: rules)
    var written: [UInt8] = []
    for line in lines { try replay.apply(line.span, to: &written) }
    return String(decoding: written, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  private func parsed(_ line: String?) throws -> [String: Any] {
    let data = Data(try #require(line).utf8)
    return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
  }

  private func headers(_ line: String?) throws -> [String: String] {
    try #require(try parsed(line)["headers"] as? [String: String])
  }

  @Test func `Lines out are those of the contract in its order`() throws {
    let lines = try replay([Self.roster, Self.message, "", Self.receipt])
    #expect(
      lines == [
        #"""
        {"topic":"status","key":"group_g1#2","value":{"conversationId":"group_g1",\#
        "messageId":2,"sender":{"uid":"A"},"sentAt":1771586001,"tracking":"on",\#
        "totalCount":1,"deliveredCount":0,"undeliveredCount":1,"readCount":0,\#
        "unreadCount":1,"replyCount":0},"input":1}
        """#,
        #"""
        {"topic":"events","key":"group_g1","value":{"event":"messagesRead",\#
        "eventId":"group_g1/messagesRead/r/0/3/0","conversationId":"group_g1",\#
        "to":{"uids":["A"]},"receipt":{"receiptType":"read","messageId":2,\#
        "sender":{"uid":"B"},"receiverId":"g1","receiverType":"group","readAt":1771586002}},\#
        "input":3}
        """#,
        #"""
        {"topic":"events","key":"group_g1","value":{"event":"messagesDeliveredToAll",\#
        "eventId":"group_g1/deliveredToAll/2","conversationId":"group_g1",\#
        "to":{"uids":["A"]},"cause":"receipt","receipt":{"messageId":2,"messageIds":[2],\#
        "sender":{"uid":"app_system","name":"System"},"receiverId":"g1",\#
        "receiverType":"group","receiptType":"delivered","deliveredAt":1771586002}},\#
        "input":3}
        """#,
        #"""
        {"topic":"events","key":"group_g1","value":{"event":"messagesReadByAll",\#
        "eventId":"group_g1/readByAll/2","conversationId":"group_g1","to":{"uids":["A"]},\#
        "cause":"receipt","receipt":{"messageId":2,"messageIds":[2],\#
        "sender":{"uid":"app_system","name":"System"},"receiverId":"g1",\#
        "receiverType":"group","receiptType":"read","readAt":1771586002}},"input":3}
        """#,
        #"""
        {"topic":"events","key":"group_g1","value":{"event":"unreadChanged",\#
        "eventId":"group_g1/unreadChanged/r/0/3/1","conversationId":"group_g1",\#
        "to":{"uids":["B"]},"unreadMessageCount":0,"lastReadMessageId":2},"input":3}
        """#,
        #"""
        {"topic":"status","key":"group_g1#2","value":{"conversationId":"group_g1",\#
        "messageId":2,"sender":{"uid":"A"},"sentAt":1771586001,"tracking":"on",\#
        "totalCount":1,"deliveredCount":1,"undeliveredCount":0,"readCount":1,\#
        "unreadCount":0,"deliveredAt":1771586002,"readAt":1771586002,"replyCount":0},\#
        "input":3}
        """#,
      ])
  }

  @Test func `A value over several lines stays one line`() throws {
    let raw =
      #"""
      {\n \"receiptType\":\"read\",\r\n \"messageId\":2,\"sender\":{\"uid\":\"B\"},\#
      \"receiverId\":\"g1\",\"receiverType\":\"group\",\"readAt\":1771586002}
      """#
    let lines = try replay([
      Self.roster, Self.message, #"{"topic":"receipts","raw":"\#(raw)"}"#,
    ])
    #expect(lines.count == 6)
    for line in lines { _ = try parsed(line) }
    #expect(lines[1].contains(#""receipt":{  "receiptType""#))
  }

  @Test func `A tick rejects what is due in its own line`() throws {
    let due = 1_771_586_002_000 + Rules().grace
    let lines = try replay([
      Self.roster, Self.receipt, #"{"tick":\#(due - 1)}"#, #"{"tick":\#(due)}"#,
    ])
    #expect(lines.count == 1)
    let rejected = try parsed(lines.first)
    #expect(rejected["input"] as? Int == 3)
    #expect(rejected["key"] as? String == "group_g1")
    #expect(
      try headers(lines.first) == [
        "error.code": "ERR_MESSAGE_NOT_FOUND",
        "error.message": ErrorCode.messageNotFound.sentence.description,
        "error.field": "messageId",
        "source.topic": "chat.receipts", "source.partition": "0", "source.offset": "1",
        "source.timestamp": "1771586002000",
      ])
  }

  @Test func `A rejected value comes back as it stood in the line`() throws {
    let value = #"{ "receiptType" : "seen",  "x":[1.50e+2,"\u00e9\/"] }"#
    let lines = try replay([#"{"topic":"receipts", "key":"k" ,"value": \#(value) , "timestamp":7}"#]
    )
    #expect(try parsed(lines.first)["raw"] as? String == value)
    #expect(try headers(lines.first)["source.timestamp"] == "7")
  }

  @Test func `What is not UTF 8 comes back replaced`() throws {
    var line = Array(#"{"topic":"receipts","key":"k","value":{"x":"?"}}"#.utf8)
    let index = try #require(line.firstIndex(of: UInt8(ascii: "?")))
    line[index] = 0xFF
    let lines = try replay([line])
    #expect(try headers(lines.first)["error.code"] == "ERR_BAD_JSON")
    #expect(try parsed(lines.first)["raw"] as? String == "{\"x\":\"\u{FFFD}\"}")
  }

  @Test(arguments: [
    #"{"x":"\ud800"}"#, #"{"x":1e999}"#, #"{"x":123456789012345678901234567890e400}"#,
    String(repeating: #"{"x":"#, count: 2000) + "1" + String(repeating: "}", count: 2000),
  ])
  func `A value that is JSON but cannot be read is a rejection and not a bad line`(value: String)
    throws
  {
    let lines = try replay([#"{"topic":"deletes","key":"k","value":\#(value)}"#])
    #expect(try headers(lines.first)["error.code"] == "ERR_BAD_JSON")
    #expect(try parsed(lines.first)["raw"] as? String == value)
  }

  @Test func `A key that cannot be derived is null`() throws {
    let lines = try replay([
      #"{"topic":"receipts","value":{"receiverType":"group"}}"#,
      #"{"topic":"receipts","value":{"receiverType":"group","receiverId":"g"}}"#,
      #"{"topic":"receipts","raw":"nonsense"}"#,
      #"{"topic":"receipts","raw":""}"#,
    ])
    #expect(try lines.map { try parsed($0)["key"] as? String } == [nil, "group_g", nil, nil])
    #expect(try parsed(lines.last)["raw"] as? String == "")
  }

  @Test func `A given key counts`() throws {
    let line = Self.message.dropLast()
    for key in ["\"group_g2\"", "\"\"", "null"] {
      let lines = try replay([#"\#(line),"key":\#(key)}"#])
      #expect(try headers(lines.first)["error.code"] == "ERR_WRONG_KEY")
    }
    let lines = try replay([#"\#(line),"key":"gr\u006fup_g1"}"#])
    #expect(try parsed(lines.first)["topic"] as? String == "status")
  }

  @Test(arguments: [
    "nonsense", "[]", "1", "{", #"{"topic":"messages"}"#, #"{"value":{}}"#, "{}",
    #"{"topic":"events","value":{}}"#, #"{"topic":1,"value":{}}"#, #"{"tick":"1"}"#,
    #"{"tick":1.5}"#,
    #"{"tick":1,"topic":"messages"}"#, #"{"topic":"messages","value":{},"raw":""}"#,
    #"{"topic":"messages","raw":{}}"#, #"{"topic":"messages","value":{}} x"#,
    #"{"topic":"messages","value":{"a":01}}"#, #"{"topic":"messages","value":{"a":1,}}"#,
    #"{"topic":"messages","value":[1}}"#, #"{"topic":"messages","value":{},"timestamp":1.5}"#,
    #"{"topic":"messages","value":{},"timestamp":9223372036854775808}"#,
    #"{"topic":"messages","value":{},"key":1}"#, #"{"topic":"messages","raw":"\x"}"#,
  ])
  func `A line of another form is refused`(line: String) throws {
    var replay = Replay(rules: Rules())
    var written: [UInt8] = []
    try replay.apply(Array(" \r".utf8).span, to: &written)
    #expect(throws: Malformed.self) { try replay.apply(Array(line.utf8).span, to: &written) }
    #expect(replay.lines == 1, "the number of the line at fault")
    #expect(written == [])
  }

  @Test func `A too large value is left out`() throws {
    var rules = Rules()
    rules.maxRecordBytes = 20
    let lines = try replay(
      [#"{"topic":"messages","key":"k","raw":"{\"text\":\"0123456789\"}"}"#], rules: rules)
    #expect(try parsed(lines.first)["raw"] == nil)
    #expect(try headers(lines.first)["error.code"] == "ERR_RECORD_TOO_LARGE")
    #expect(try headers(lines.first)["source.bytes"] == "21")
  }
}
