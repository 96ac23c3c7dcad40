import Core
import Foundation
import Testing
import Wire

@testable import Worker

/// Who keeps receipts while the roster of a group is unknown.
@Suite struct PlaceTests {
  private static let group = #""receiverId":"g1","receiverType":"group""#

  private func rules(cap: Int = 1) -> Rules {
    var rules = Rules()
    rules.maxGroupMembers = cap
    rules.trackingWindow = 10_000
    return rules
  }

  private func message(_ id: Int, from uid: String, at time: Int) -> String {
    #"""
    {"topic":"messages","value":{"id":\#(id),"sender":{"uid":"\#(uid)"},\#(Self.group),\#
    "category":"message","sentAt":\#(time)}}
    """#
  }

  private func receipt(_ type: String, _ id: Int, by uid: String, at time: Int) -> String {
    #"""
    {"topic":"receipts","value":{"receiptType":"\#(type)","messageId":\#(id),\#
    "sender":{"uid":"\#(uid)"},\#(Self.group),"\#(type)At":\#(time)}}
    """#
  }

  private func roster(_ id: Int, of uids: String..., at time: Int) -> String {
    let named = uids.map { #"{"uid":"\#($0)"}"# }.joined(separator: ",")
    return #"""
      {"topic":"messages","value":{"id":\#(id),"category":"action","type":"groupMember",\#
      "action":"roster","actionOn":[\#(named)],\#(Self.group),"sentAt":\#(time)}}
      """#
  }

  /// What the `unreadChanged` of the last line says of the last message that was read.
  private func lastRead(_ lines: [String], _ rules: Rules) throws -> Int? {
    var replay = Replay(rules: rules)
    var written: [UInt8] = []
    for line in lines {
      written.removeAll()
      try replay.apply(Array(line.utf8).span, to: &written)
      #expect(replay.machine.violations() == [])
    }
    let output = try #require(written.split(separator: UInt8(ascii: "\n")).first)
    let line = try JSONSerialization.jsonObject(with: Data(output)) as? [String: Any]
    return (line?["value"] as? [String: Any])?["lastReadMessageId"] as? Int
  }

  @Test func `a sender's place is free again when his messages have expired`() throws {
    let lines = [
      message(1, from: "s1", at: 1000), message(2, from: "s2", at: 1001),
      message(3, from: "s3", at: 1009), receipt("read", 3, by: "B", at: 1012),
      roster(4, of: "s3", "B", at: 1013), message(5, from: "s3", at: 1014),
      receipt("unread", 4, by: "B", at: 1015),
    ]
    #expect(try lastRead(lines, rules()) == 3)
  }

  @Test func `without a free place a receipt adds nothing`() throws {
    let lines = [
      message(2, from: "s2", at: 1001), message(3, from: "s3", at: 1002),
      receipt("read", 3, by: "B", at: 1003), roster(4, of: "s3", "B", at: 1004),
      message(5, from: "s3", at: 1005), receipt("unread", 4, by: "B", at: 1006),
    ]
    #expect(try lastRead(lines, rules()) == 0)
  }

  @Test func `what a sender has read outlives his messages where there is a place for it`() throws {
    let lines = [
      message(1, from: "s1", at: 1000), message(2, from: "s2", at: 1001),
      receipt("read", 2, by: "s1", at: 1002), message(3, from: "s3", at: 1011),
      roster(4, of: "s3", "s1", at: 1012), message(5, from: "s3", at: 1014),
      receipt("unread", 4, by: "s1", at: 1015),
    ]
    #expect(try lastRead(lines, rules()) == 2)
  }

  @Test
  func `but not where more uids than may keep receipts have one only by their messages`() throws {
    let lines = [
      message(1, from: "s1", at: 1000), message(2, from: "s2", at: 1001),
      message(3, from: "s3", at: 1002), receipt("read", 2, by: "s1", at: 1003),
      message(4, from: "s3", at: 1010), roster(5, of: "s3", "s1", at: 1011),
      message(6, from: "s3", at: 1012), receipt("unread", 5, by: "s1", at: 1013),
    ]
    #expect(try lastRead(lines, rules()) == 0)
  }
}
