import GoldenRecords
import Testing
import Wire

@Suite("Golden records") struct GoldenRecordsTests {
  @Test(arguments: Golden.good)
  func `A good one says what it says`(golden: Golden) {
    #expect(described(golden.topic, key: golden.key, golden.value) == meaning[golden.name])
  }

  @Test(arguments: Golden.bad)
  func `A bad one is rejected with the code and field in its name`(golden: Golden) {
    let expected = [golden.code, golden.field].compactMap(\.self).joined(separator: " ")
    #expect(described(golden.topic, key: golden.key, golden.value) == expected)
  }

  @Test func `There are good and bad ones of each topic`() {
    for goldens in [Golden.good, Golden.bad] {
      #expect(Set(goldens.map(\.topic)).count == 3)
    }
  }
}

/// What each good record says, by its name.
private let meaning: [String: String] = {
  let lines = #"""
    deletes.delete: delete 37789 by u2 in group g1 at 1771589787000
    deletes.in-a-pair: delete 37789 by u2 in user u1 at 1771589787000
    deletes.with-an-original-of-other-types: delete 37789 by app_system in group g1 at \#
    1771589787000, original {"id": 37789, "messageUId": 7, "sender": "u1", "sentAt": "now", \#
    "parentMessageId": 1.5}
    deletes.with-the-original: delete 37789 by u2 in group g1 at 1771589787000, original { \#
    "id": 37789, "sender": {"uid": "u1"}, "parentMessageId": 37000, "text": "}\"," }, its \#
    sender u1, its parent 37000
    deletes.with-the-whole-original: delete 37789 by u2 in group g1 at 1771589787000, original \#
    {"id": 37789, "messageUId": "C5A1-7F2B", "sender": {"uid": "u1"}, "sentAt": 1771586980.25}, \#
    its sender u1, its uid C5A1-7F2B, its time 1771586980250
    deletes.without-a-time: delete 37789 by u2 in group g1 at -
    messages.action-deleted: action 38200 at 1772025100000
    messages.action-of-another-kind: action 38200 at 1772025100000
    messages.action-to-a-user: action 38200 at 1772025100000
    messages.action-without-action: action 38200 at 1772025100000
    messages.call: message 38208 from u1 at 1772025178000, parent 0
    messages.category-of-another-kind: message 38208 from u1 at 1772025178000, parent 0
    messages.conversation-id-in-the-value: message 38208 from u1 at 1772025178000, parent 0
    messages.custom: message 38208 from u1 at 1772025178000, parent 0
    messages.edit: edit
    messages.edited-at-0-is-no-edit: message 38208 from u1 at 1772025178000, parent 0
    messages.escapes-in-names: message 38208 from a"b\cé😀 at 1772025178000, parent 0
    messages.highest-id: message 9223372036854775807 from u1 at 1772025178000, parent 0
    messages.membership-added: added 38200 at 1772025100000: ["u2 participant"]
    messages.membership-joined-by-oneself: joined 38200 at 1772025100000: ["u1 participant"]
    messages.membership-left-without-actor: left 38200 at 1772025100000: ["u2 participant"]
    messages.membership-roster: roster 38200 at 1772025100000: ["u1 owner", "u2 \#
    admin", "u3 moderator", "bot participant exempt"]
    messages.membership-roster-of-nobody: roster 38200 at 1772025100000: []
    messages.membership-unknown-scope-is-participant: scopeChanged 38200 at \#
    1772025100000: ["u2 participant"]
    messages.message: message 38208 from u1 at 1772025178000, parent 0, uid C5A1-7F2B
    messages.message-to-a-user: message 38208 from u1 at 1772025178000, parent 0
    messages.message-to-oneself: message 38208 from u1 at 1772025178000, parent 0
    messages.names-of-128-bytes: message 38208 from \#
    uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu\#
    uuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuuu at 1772025178000, parent 0
    messages.negative-parent-comes-through: message 38208 from u1 at 1772025178000, parent -1
    messages.no-receipt-wanted: message 38208 from u1 at 1772025178000, parent 0, no receipt
    messages.non-ascii-uids: message 38208 from Åsa at 1772025178000, parent 0
    messages.null-optionals-are-absent: message 38208 from u1 at 1772025178000, parent 0
    messages.of-a-name-twice-the-last-counts: message 38209 from u3 at 1772025178000, parent 0
    messages.reply: message 38208 from u1 at 1772025178000, parent 38000
    messages.time-with-fraction: message 38208 from u1 at 1772025178250, parent 0
    messages.unknown-fields-are-ignored: message 38208 from u1 at 1772025178000, parent 0
    receipts.conversation: read by u2 of conversation at 1771586990000
    receipts.conversation-false-is-absent: read by u2 of all up to 5 at 1771586990000
    receipts.delivered: delivered by u2 of all up to 37787 at 1771586990250
    receipts.in-a-thread: read by u2 of all up to 37787 at 1771586990000
    receipts.message-ids: read by u2 of [37785, 37787] at 1771586990000
    receipts.message-ids-1000: read by u2 of 1000 ids at 1771586990000
    receipts.message-uids: read by u2 of ["C5A1-7F2B", "Å"] at 1771586990000
    receipts.read: read by u2 of all up to 37787 at 1771586990000
    receipts.read-by-a-user: read by u2 of all up to 37787 at 1771586990000
    receipts.read-without-a-time: read by u2 of all up to 37787 at -
    receipts.unread: unread by u2 of all up to 37787 at 1771586990000
    """#
  var meaning: [String: String] = [:]
  for line in lines.split(separator: "\n") {
    let parts = line.split(separator: ": ", maxSplits: 1)
    meaning[String(parts[0])] = String(parts[1])
  }
  return meaning
}()
