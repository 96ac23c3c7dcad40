import Core

/// What no workload has, in a small group where nothing is ever announced: a record that an
/// operator has skipped, one too large to be looked at, one whose outputs are too large, one under
/// an id that is in use, and one whose id is far above all others.
enum SimulationOddities {
  /// The largest value that a simulation's workers look at.
  static let maxRecordBytes = 8192
  /// The largest output where outputs are meant to be too large: the delete below is larger.
  static let narrowOutputBytes = 6000

  /// The group's conversation id.
  static let key = Array("group_odd".utf8)

  /// A receipt that an operator has skipped; it names a message that never comes.
  static let skipped = receipt("read", "B", #""messageId":80000"#)

  /// The records, in the order in which they are written.
  ///
  /// - Parameter isNarrow: with a delete whose event is larger than the topics take.
  static func records(isNarrow: Bool) -> [SimulationRecord] {
    let large = receipt("read", "B", #""messageId":1,"x":"\#(filling(maxRecordBytes))""#)
    let usual = [roster(100, of: ["A", "B", "C"]), message(101), large]
    let narrow = isNarrow ? [message(109), oversized] : []
    return usual + narrow + [message(101, by: "B"), message(1 << 50)]
  }

  /// A delete whose event is larger than narrow topics take.
  private static let oversized = delete(
    109, by: "A", #""id":109,"text":"\#(filling(narrowOutputBytes))""#)

  /// A receipt too large for narrow topics to take as a piece of state, which it becomes.
  static func bulky(_ id: Int64) -> SimulationRecord {
    receipt("read", "B", #""messageId":\#(id),"x":"\#(filling(narrowOutputBytes))""#)
  }

  private static func filling(_ bytes: Int) -> String { String(repeating: "-", count: bytes) }

  private static func roster(_ id: Int64, of members: [String]) -> SimulationRecord {
    let list = members.map { #"{"uid":"\#($0)"}"# }.joined(separator: ",")
    return record(
      .messages,
      """
      {"id":\(id),"category":"action","type":"groupMember","action":"roster",\
      "actionBy":{"uid":"A"},"actionOn":[\(list)],"sentAt":1735689600,
      """)
  }

  private static func message(_ id: Int64, by uid: String = "A") -> SimulationRecord {
    record(
      .messages,
      #"{"id":\#(id),"sender":{"uid":"\#(uid)"},"category":"message","sentAt":1735689600,"#)
  }

  private static func receipt(
    _ type: String, _ uid: String, _ covers: String
  ) -> SimulationRecord {
    record(
      .receipts,
      """
      {"receiptType":"\(type)","sender":{"uid":"\(uid)"},"\(type)At":1735689600,\(covers),
      """)
  }

  private static func delete(
    _ id: Int64, by uid: String, _ original: String
  ) -> SimulationRecord {
    record(
      .deletes,
      """
      {"messageId":\(id),"deletedBy":{"uid":"\(uid)"},"deletedAt":1735689601,\
      "message":{\(original)},
      """)
  }

  /// Ends an object with the fields that say where it belongs.
  private static func record(_ topic: InputTopic, _ start: String) -> SimulationRecord {
    let value = start + #""receiverId":"odd","receiverType":"group"}"#
    return SimulationRecord(topic: topic, key: key, value: Array(value.utf8))
  }
}
