import Wire

@testable import Core

/// Puts outputs together by hand, all of them of group g1 and its messages' sender u1.
struct OutputsBuilder {
  private var outputs = Outputs()

  mutating func text(_ string: String) -> Text {
    let start = outputs.text.count
    outputs.text.append(contentsOf: string.utf8)
    return Text(start: start, count: string.utf8.count)
  }

  mutating func uids(_ uids: [String]) -> Recipients {
    let start = outputs.uids.count
    for uid in uids { outputs.uids.append(text(uid)) }
    return .uids(start..<outputs.uids.count)
  }

  mutating func announce(_ kind: ReceiptKind, ids: [Int64], cause: Cause, at: Int64) {
    let start = outputs.ids.count
    outputs.ids.append(contentsOf: ids)
    let announcement = Announcement(
      kind: kind, conversation: text("group_g1"), guid: text("g1"), cause: cause,
      sender: text("u1"), ids: start..<outputs.ids.count, at: Instant(milliseconds: at))
    if kind == .delivered {
      outputs.deliveredToAll.append(announcement)
    } else {
      outputs.readByAll.append(announcement)
    }
  }

  mutating func add(
    _ kind: ReceiptKind, _ receipt: String, to: Recipients,
    number: (topic: InputTopic, offset: Int64, number: Int64)
  ) {
    outputs.receiptsAdded.append(
      ReceiptAdded(
        kind: kind, conversation: text("group_g1"),
        number: EventNumber(topic: number.topic, offset: number.offset, number: number.number),
        to: to, receipt: text(receipt)))
  }

  mutating func respond(
    _ counts: [(id: Int64, uid: String?, read: Int, unread: Int)],
    number: (topic: InputTopic, offset: Int64, number: Int64)
  ) {
    let start = outputs.counts.count
    for count in counts {
      let uid = count.uid.map { text($0) }
      outputs.counts.append(
        MessageCounts(
          messageId: count.id, messageUId: uid, readCount: count.read, unreadCount: count.unread))
    }
    outputs.responses.append(
      ReceiptResponse(
        conversation: text("group_g1"),
        number: EventNumber(topic: number.topic, offset: number.offset, number: number.number),
        to: text("u1"), reader: text("u2"), readAt: Instant(milliseconds: 1_771_586_990_250),
        responses: start..<outputs.counts.count))
  }

  mutating func status(
    uid: String?, tracking: Tracking,
    counts: (delivered: Int, undelivered: Int, read: Int, unread: Int),
    at: (delivered: Int64?, read: Int64?), replies: Int64
  ) {
    outputs.statuses.append(
      Status(
        conversation: text("group_g1"), messageId: 38208, messageUId: uid.map { text($0) },
        sender: text("u1"), sentAt: Instant(milliseconds: 1_000), tracking: tracking,
        deliveredCount: counts.delivered, undeliveredCount: counts.undelivered,
        readCount: counts.read, unreadCount: counts.unread,
        deliveredAt: at.delivered.map(Instant.init), readAt: at.read.map(Instant.init),
        replyCount: replies))
  }

  mutating func reject(
    _ rejection: Rejection, key: String?, value: String?, bytes: Int?, keyBytes: Int? = nil,
    expected: String? = nil
  ) {
    let timestamp = Instant(milliseconds: 1_771_586_990_250)
    outputs.rejected.append(
      Rejected(
        rejection: rejection,
        source: Coordinates(topic: .deletes, partition: 3, offset: 12, timestamp: nil),
        timestamp: timestamp, key: key.map { text($0) }, value: value.map { text($0) },
        omittedBytes: bytes, omittedKeyBytes: keyBytes, expectedKey: expected.map { text($0) }))
  }

  /// The records, a line each: topic, key, value, headers.
  func encoded(_ encoder: Encoder = Encoder()) -> [String] {
    var records = EncodedRecords()
    encoder.encode(outputs, partition: 3, into: &records)
    return records.records.map { record in
      func text(_ range: Range<Int>?) -> String {
        range.map { String(decoding: records.bytes[$0], as: UTF8.self) } ?? "-"
      }
      let headers = records.headers[record.headers].map {
        " \($0.name)=\(String(decoding: $0.value, as: UTF8.self))"
      }
      return "\(record.topic) \(text(record.key)) \(text(record.value))\(headers.joined())"
    }
  }
}
