import Testing

@testable import Oracle

@Suite("Records of a topic") struct InputTests {
  private func input(
    _ offset: Int64, _ value: String?, key: String? = "group_g", at timestamp: Int64? = 1000,
    _ topic: ModelRecord.Topic = .messages
  ) -> ModelInput {
    ModelInput(
      topic: topic, partition: 7, offset: offset, timestamp: timestamp,
      key: key.map { Array($0.utf8) }, value: value.map { Array($0.utf8) })
  }

  private let roster = """
    {"id":1,"category":"action","type":"groupMember","action":"roster","receiverId":"g",\
    "receiverType":"group","sentAt":1,"actionOn":[{"uid":"A"},{"uid":"B"}]}
    """
  private let message = """
    {"id":2,"category":"message","sender":{"uid":"A"},"receiverId":"g","receiverType":"group",\
    "sentAt":1}
    """
  private let receipt = """
    {"receiptType":"read","messageId":2,"sender":{"uid":"B"},"receiverId":"g",\
    "receiverType":"group"}
    """

  private func ids(_ outputs: [ModelOutput]) -> [String] {
    outputs.compactMap { output in
      if case .event(let event) = output { event.id } else { nil }
    }
  }

  private func rejections(_ outputs: [ModelOutput]) -> [ModelRejection] {
    outputs.compactMap { output in
      if case .rejection(let rejection) = output { rejection } else { nil }
    }
  }

  @Test func `event ids and rejections name the partition and the offset`() throws {
    var model = try Model()
    _ = model.apply(input(10, roster))
    _ = model.apply(input(11, message))
    #expect(
      ids(model.apply(input(3, receipt, .receipts))) == [
        "group_g/messagesRead/r/7/3/0", "group_g/deliveredToAll/2", "group_g/readByAll/2",
        "group_g/unreadChanged/r/7/3/1",
      ])
    let rejected = rejections(model.apply(input(4, "{}", .receipts)))
    #expect(rejected.map(\.input.partition) == [7] && rejected.map(\.input.offset) == [4])
  }

  @Test("a record whose key is missing or another one is rejected, and one without a value")
  func badRecords() throws {
    var model = try Model()
    let outputs = [
      model.apply(input(1, roster, key: nil)), model.apply(input(2, roster, key: "group_h")),
      model.apply(input(3, nil)),
    ]
    #expect(
      outputs.flatMap(rejections).map(\.fault.code) == [
        "ERR_WRONG_KEY", "ERR_WRONG_KEY", "ERR_BAD_RECORD",
      ])
    #expect(model.conversations.isEmpty)
  }

  @Test func `a record without a timestamp is as new as the newest`() throws {
    var model = try Model()
    _ = model.apply(input(1, roster, at: 5000))
    let rejected = rejections(model.apply(input(2, "", at: nil)))
    #expect(rejected.map(\.timestamp) == [5000] && model.now == 5000)
  }

  @Test func `a skipped record moves stream time and is rejected, and nothing else`() throws {
    var model = try Model()
    _ = model.apply(input(1, roster))
    let outputs = model.skip(input(2, message, at: 9000))
    #expect(rejections(outputs).map(\.fault) == [ModelFault("ERR_SKIPPED")] && outputs.count == 1)
    #expect(model.now == 9000)
    #expect(model.conversations["group_g"]?.known[2] == nil)
    #expect(model.conversations["group_g"]?.lastRecordAt == 1000)
  }

  @Test func `of another share of the conversations a record moves stream time only`() throws {
    var model = try Model(["grace": "5s"]) { $0 == Array("group_g".utf8) }
    _ = model.apply(input(1, roster))
    #expect(model.apply(input(1, receipt, .receipts)).isEmpty)
    let outputs = model.apply(input(2, "not looked at", key: "group_h", at: 6000))
    #expect(rejections(outputs).map(\.fault) == [ModelFault("ERR_MESSAGE_NOT_FOUND")])
    #expect(model.skip(input(3, nil, key: "group_h", at: 7000)).isEmpty && model.now == 7000)
    #expect(model.conversations.count == 1)
  }
}
