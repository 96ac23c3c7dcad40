import Core

/// The records of one small group, whose members do everything wrong that can be done: each error
/// code and each reason to pass a receipt over comes up, and nothing is ever announced.
enum SimulationOddities {
  /// The largest value that a simulation's workers look at.
  static let maxRecordBytes = 8192
  /// The largest output where outputs are meant to be too large: the delete below is larger.
  static let narrowOutputBytes = 6000
  /// The outputs of that delete which are: the event and the action message.
  static let oversizedOutputs = 2

  private static let key = "group_odd"

  /// A receipt that an operator has skipped; it names a message that never comes.
  static let skipped = receipt("read", "B", #""messageId":80000"#)

  /// The records, in the order in which they are written.
  ///
  /// - Parameter isNarrow: with a delete whose event is larger than the topics take.
  static func records(isNarrow: Bool) -> [ExampleTraffic.Record] {
    messages(isNarrow) + receipts + deletes(isNarrow)
  }

  /// Nobody ever waits in vain for C: he never answers.
  private static func messages(_ isNarrow: Bool) -> [ExampleTraffic.Record] {
    [
      action(100, "roster", by: "A", on: ["A", "B", "C"]), message(101), message(102),
      action(103, "joined", by: "D", on: []), message(104, #","needReceipt":false"#),
      message(105, #","parentMessageId":101"#), message(106, #","parentMessageId":105"#),
      message(107, #","parentMessageId":107"#), message(108),
    ] + (isNarrow ? [message(109)] : [])
  }

  private static var receipts: [ExampleTraffic.Record] {
    [
      receipt("delivered", "B", #""messageId":102"#),
      receipt("delivered", "B", #""messageId":102"#),
      receipt("read", "A", #""messageIds":[101]"#),
      receipt("read", "D", #""messageIds":[101]"#),
      receipt("read", "B", #""messageIds":[104]"#),
      receipt("read", "B", #""messageId":5"#),
      receipt("read", "B", #""messageId":90000"#),
      receipt("read", "Z", #""messageId":102"#),
      receipt("unread", "A", #""messageId":101"#),
      receipt("read", "B", #""messageId":1,"x":"\#(filling(maxRecordBytes))""#),
    ]
  }

  private static func deletes(_ isNarrow: Bool) -> [ExampleTraffic.Record] {
    [delete(101, by: "B", at: 1), delete(108, by: "A", at: 1), delete(108, by: "A", at: 2)]
      + (isNarrow ? [oversized] : [])
  }

  /// A delete whose event is larger than narrow topics take.
  static let oversized = delete(
    109, by: "A", at: 1, #""id":109,"text":"\#(filling(narrowOutputBytes))""#)

  /// A receipt too large for narrow topics to take as a piece of state, which it becomes.
  static func bulky(_ id: Int64) -> ExampleTraffic.Record {
    receipt("read", "B", #""messageId":\#(id),"x":"\#(filling(narrowOutputBytes))""#)
  }

  private static func filling(_ bytes: Int) -> String { String(repeating: "-", count: bytes) }

  private static func action(
    _ id: Int64, _ name: String, by actor: String, on members: [String]
  ) -> ExampleTraffic.Record {
    let list = members.map { #"{"uid":"\#($0)"}"# }.joined(separator: ",")
    let actionOn = members.isEmpty ? "" : #","actionOn":[\#(list)]"#
    return .init(
      .messages, key: key,
      value: """
        {"id":\(id),"category":"action","type":"groupMember","action":"\(name)",\
        "actionBy":{"uid":"\(actor)"}\(actionOn),"receiverId":"odd","receiverType":"group",\
        "sentAt":1735689600}
        """)
  }

  private static func message(_ id: Int64, _ more: String = "") -> ExampleTraffic.Record {
    .init(
      .messages, key: key,
      value: """
        {"id":\(id),"sender":{"uid":"A"},"receiverId":"odd","receiverType":"group",\
        "category":"message","sentAt":1735689600\(more)}
        """)
  }

  private static func receipt(
    _ type: String, _ uid: String, _ covers: String
  ) -> ExampleTraffic.Record {
    .init(
      .receipts, key: key,
      value: """
        {"receiptType":"\(type)","sender":{"uid":"\(uid)"},"receiverId":"odd",\
        "receiverType":"group","\(type)At":1735689600,\(covers)}
        """)
  }

  private static func delete(
    _ id: Int64, by uid: String, at time: Int, _ original: String = ""
  ) -> ExampleTraffic.Record {
    .init(
      .deletes, key: key,
      value: """
        {"messageId":\(id),"receiverId":"odd","receiverType":"group",\
        "deletedBy":{"uid":"\(uid)"},"deletedAt":\(1_735_689_600 + time),\
        "message":{\(original)}}
        """)
  }
}
