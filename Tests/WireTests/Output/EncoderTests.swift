import Testing
import Wire

@testable import Core

@Suite("The encoder") struct EncoderTests {
  @Test func `Writes an announcement as the contract shows it`() {
    var outputs = OutputsBuilder()
    outputs.announce(.read, ids: [37785, 37787], cause: .receipt, at: 1_771_586_990_000)
    #expect(
      outputs.encoded() == [
        """
        events group_g1 {"event":"messagesReadByAll","eventId":"group_g1/readByAll/37787",\
        "conversationId":"group_g1","to":{"uids":["u1"]},"cause":"receipt",\
        "receipt":{"messageId":37787,"messageIds":[37785,37787],\
        "sender":{"uid":"app_system","name":"System"},"receiverId":"g1",\
        "receiverType":"group","receiptType":"read","readAt":1771586990}}
        """
      ])
  }

  @Test func `Names time, event and id of a delivery`() {
    var outputs = OutputsBuilder()
    outputs.announce(.delivered, ids: [5], cause: .deactivated, at: 1_500)
    #expect(
      outputs.encoded() == [
        """
        events group_g1 {"event":"messagesDeliveredToAll","eventId":"group_g1/deliveredToAll/5",\
        "conversationId":"group_g1","to":{"uids":["u1"]},"cause":"deactivated",\
        "receipt":{"messageId":5,"messageIds":[5],\
        "sender":{"uid":"app_system","name":"System"},"receiverId":"g1",\
        "receiverType":"group","receiptType":"delivered","deliveredAt":1.5}}
        """
      ])
  }

  @Test func `Passes on a receipt byte for byte`() {
    var outputs = OutputsBuilder()
    let receipt = "\n{ \"receiptType\" : \"read\", \"x\": 1.50e+1 }"
    outputs.add(.read, receipt, to: outputs.uids(["u1", "u\"3"]), number: (.receipts, 12, 0))
    outputs.add(.delivered, "{}", to: .guid(outputs.text("g1")), number: (.messages, 0, 7))
    outputs.add(.delivered, "{}", to: outputs.uids([]), number: (.deletes, 0, 0))
    #expect(
      outputs.encoded() == [
        """
        events group_g1 {"event":"messagesRead","eventId":"group_g1/messagesRead/r/3/12/0",\
        "conversationId":"group_g1","to":{"uids":["u1","u\\"3"]},"receipt":\(receipt)}
        """,
        """
        events group_g1 {"event":"messagesDelivered",\
        "eventId":"group_g1/messagesDelivered/m/3/0/7","conversationId":"group_g1",\
        "to":{"guid":"g1"},"receipt":{}}
        """,
        """
        events group_g1 {"event":"messagesDelivered",\
        "eventId":"group_g1/messagesDelivered/d/3/0/0","conversationId":"group_g1",\
        "to":{"uids":[]},"receipt":{}}
        """,
      ])
  }

  @Test func `Writes the counts of an exact receipt`() {
    var outputs = OutputsBuilder()
    outputs.respond([(7, "C5", 2, 1), (9, nil, 0, 0)], number: (.receipts, 4, 1))
    #expect(
      outputs.encoded() == [
        """
        events group_g1 {"event":"readReceiptResponse",\
        "eventId":"group_g1/readReceiptResponse/r/3/4/1","conversationId":"group_g1",\
        "to":{"uids":["u1"]},"sender":{"uid":"u2"},"readAt":1771586990.25,"responses":[\
        {"messageId":7,"messageUId":"C5","readCount":2,"unreadCount":1,"totalCount":3},\
        {"messageId":9,"readCount":0,"unreadCount":0,"totalCount":0}]}
        """
      ])
  }

  @Test func `Writes a status with all its fields, or only those that are there`() {
    var outputs = OutputsBuilder()
    outputs.status(
      uid: "C5", tracking: .endedExpired, counts: (3, 0, 2, 1), at: (2_000, 3_001), replies: 4)
    outputs.status(
      uid: nil, tracking: .offTooLarge, counts: (0, 0, 0, 0), at: (nil, nil), replies: 0)
    outputs.status(uid: nil, tracking: .on, counts: (0, 2, 0, 2), at: (nil, nil), replies: 0)
    #expect(
      outputs.encoded() == [
        """
        status group_g1#38208 {"conversationId":"group_g1","messageId":38208,"messageUId":"C5",\
        "sender":{"uid":"u1"},"sentAt":1,"tracking":"ended","reason":"EXPIRED","totalCount":3,\
        "deliveredCount":3,"undeliveredCount":0,"readCount":2,"unreadCount":1,"deliveredAt":2,\
        "readAt":3.001,"replyCount":4}
        """,
        """
        status group_g1#38208 {"conversationId":"group_g1","messageId":38208,\
        "sender":{"uid":"u1"},"sentAt":1,"tracking":"off","reason":"GROUP_TOO_LARGE",\
        "totalCount":0,"deliveredCount":0,"undeliveredCount":0,"readCount":0,"unreadCount":0,\
        "replyCount":0}
        """,
        """
        status group_g1#38208 {"conversationId":"group_g1","messageId":38208,\
        "sender":{"uid":"u1"},"sentAt":1,"tracking":"on","totalCount":2,"deliveredCount":0,\
        "undeliveredCount":2,"readCount":0,"unreadCount":2,"replyCount":0}
        """,
      ])
  }

  @Test func `Passes on a rejected record untouched, with the reason in the headers`() {
    var outputs = OutputsBuilder()
    outputs.reject(
      Rejection(.badRecord, field: "sender.uid"), key: "group_g1", value: "{\u{1}", bytes: nil)
    outputs.reject(Rejection(.recordTooLarge), key: nil, value: nil, bytes: 800_000)
    outputs.reject(
      Rejection(.wrongKey), key: nil, value: "{}", bytes: nil, keyBytes: 1025,
      expected: "group_gé")
    #expect(
      outputs.encoded() == [
        """
        rejected group_g1 {\u{1} error.code=ERR_BAD_RECORD \
        error.message=A field is missing or has the wrong type or value. \
        error.field=sender.uid source.topic=chat.deletes source.partition=3 source.offset=12 \
        source.timestamp=1771586990250
        """,
        """
        rejected - - error.code=ERR_RECORD_TOO_LARGE \
        error.message=The value is larger than maxRecordBytes. source.topic=chat.deletes \
        source.partition=3 source.offset=12 source.timestamp=1771586990250 source.bytes=800000
        """,
        """
        rejected - {} error.code=ERR_WRONG_KEY error.message=The key is not the conversation id \
        that the record's fields give. They give group_gé. source.topic=chat.deletes \
        source.partition=3 source.offset=12 source.timestamp=1771586990250 source.keyBytes=1025
        """,
      ])
  }

  @Test func `Calls the source by the name that the topic has here`() {
    var outputs = OutputsBuilder()
    outputs.reject(Rejection(.badJSON), key: nil, value: nil, bytes: nil)
    let encoder = Encoder(topicNames: PerInput<String> { "eu-\(Topic($0).defaultName)" })
    let line = outputs.encoded(encoder)[0]
    #expect(line.contains(" source.topic=eu-chat.deletes "))
  }

  @Test func `Writes all outputs of an input in the order of the contract`() {
    var outputs = OutputsBuilder()
    outputs.reject(Rejection(.badJSON), key: nil, value: nil, bytes: nil)
    outputs.status(uid: nil, tracking: .on, counts: (0, 0, 0, 0), at: (nil, nil), replies: 0)
    outputs.respond([], number: (.receipts, 0, 0))
    outputs.announce(.read, ids: [1], cause: .left, at: 0)
    outputs.announce(.delivered, ids: [1], cause: .left, at: 0)
    outputs.add(.read, "{}", to: outputs.uids([]), number: (.receipts, 0, 0))
    let kinds = outputs.encoded().map { $0.prefix { $0 != "," } }
    #expect(
      kinds == [
        "events group_g1 {\"event\":\"messagesRead\"",
        "events group_g1 {\"event\":\"messagesDeliveredToAll\"",
        "events group_g1 {\"event\":\"messagesReadByAll\"",
        "events group_g1 {\"event\":\"readReceiptResponse\"",
        "status group_g1#38208 {\"conversationId\":\"group_g1\"",
        "rejected - - error.code=ERR_BAD_JSON error.message=The value is not valid JSON. "
          + "source.topic=chat.deletes source.partition=3 source.offset=12 "
          + "source.timestamp=1771586990250",
      ])
  }
}
