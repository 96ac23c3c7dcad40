import Core
import Worker

/// Records that are rejected for their form alone.
extension WorkloadConversation {
  /// Receipts whose fields are followed by those that say who and where: the start of the value.
  private static let receipts = [
    #""receiptType":"seen","messageId":1"#, #""receiptType":"read""#,
    #""receiptType":"read","messageId":"7""#, #""receiptType":"read","messageId":0"#,
    #""receiptType":"read","messageId":7.0"#, #""receiptType":"read","messageIds":[]"#,
    #""receiptType":"read","messageIds":[1],"conversation":true"#,
    #""receiptType":"unread","conversation":true"#, #""receiptType":"read","messageId":1e999"#,
    #""receiptType":"read","messageId":1,"readAt":"now""#, #""receiptType":7,"messageId":1"#,
    #""receiptType":"read","messageId":1,"note":"\ud800""#,
    #""receiptType":"read","messageId":1,"conversationId":"elsewhere""#,
  ]

  /// Values that are no receipts at all.
  private static let values: [[UInt8]] = [
    [], Array("[]".utf8), Array("null".utf8), Array(#"{"receiptType":"read","messageId":"#.utf8),
    Array(#"{"receiptType":""#.utf8) + [0xFF, 0xFE] + Array(#""}"#.utf8),
    Array(#"{"a":"#.utf8) + [UInt8](repeating: UInt8(ascii: "["), count: 1100),
  ]

  private static let elsewhere = Array("group_elsewhere".utf8)

  /// Writes one of them.
  func writeMalformed(_ pen: inout WorkloadPen) {
    let number = members[pen.below(members.count)].number
    switch pen.below(6) {
    case 0:
      pen.begin(.receipts, key: names.key, partition: partition)
      pen.write(Self.values[pen.below(Self.values.count)])
    case 1: writeMalformedMessage(by: number, &pen)
    case 2: writeMalformedDelete(by: number, &pen)
    case 3:
      // A good receipt under a key that is not its conversation's.
      let key = pen.below(2) == 0 ? Self.elsewhere : []
      let partition = Partitioner.murmur2.partition(of: key.span, count: pen.partitionCount)
      pen.begin(.receipts, key: key, partition: partition)
      writeReceipt(#""receiptType":"read","messageId":1"#, by: number, &pen)
    default:
      pen.begin(.receipts, key: names.key, partition: partition)
      writeReceipt(Self.receipts[pen.below(Self.receipts.count)], by: number, &pen)
    }
  }

  private func writeReceipt(_ start: String, by number: Int64, _ pen: inout WorkloadPen) {
    pen.write("{")
    pen.write(start)
    pen.write(#","sender":{"uid":"#)
    names.writeUid(number, &pen)
    pen.write("},")
    names.writeReceiver(of: number, &pen)
    pen.write("}")
  }

  /// Its id is none that a receipt will ever name.
  private func writeMalformedMessage(by number: Int64, _ pen: inout WorkloadPen) {
    pen.begin(.messages, key: names.key, partition: partition)
    let fault = pen.below(4)
    pen.write(fault == 0 ? #"{"id":-1,"# : #"{"id":1,"#)
    if fault != 1 {
      pen.write(#""sender":{"uid":"#)
      names.writeUid(number, &pen)
      pen.write("},")
    }
    if fault != 2 { pen.write(#""sentAt":1735689600,"#) }
    pen.write(fault == 3 ? #""category":"","# : #""category":"message","#)
    names.writeReceiver(of: number, &pen)
    pen.write("}")
  }

  private func writeMalformedDelete(by number: Int64, _ pen: inout WorkloadPen) {
    pen.begin(.deletes, key: names.key, partition: partition)
    let hasOther = pen.below(2) == 0
    pen.write(#"{"messageId":1,"#)
    if hasOther {
      pen.write(#""message":{"id":2},"deletedBy":{"uid":"#)
      names.writeUid(number, &pen)
      pen.write("},")
    }
    names.writeReceiver(of: number, &pen)
    pen.write("}")
  }
}
