package import Core

/// The traffic of a small chat service, made from a seed, with the announcements it must cause.
///
/// The same seed gives the same records and the same expectations, so that who feeds and who checks
/// need not talk to each other.
package struct ExampleTraffic: Sendable {
  /// One record to be written to an input topic; the key decides the partition.
  package struct Record: Sendable {
    /// The topic it is written to.
    package var topic: InputTopic
    /// Its key.
    package var key: [UInt8]
    /// Its value.
    package var value: [UInt8]

    /// A record to be written.
    package init(topic: InputTopic, key: [UInt8], value: [UInt8]) {
      self.topic = topic
      self.key = key
      self.value = value
    }
  }

  /// One announcement of one message.
  package struct Announcement: Hashable, Sendable {
    /// What all have done.
    package enum Kind: String, CaseIterable, Sendable {
      case delivered, read
    }

    /// What all have done.
    package var kind: Kind
    /// The conversation's id.
    package var conversation: String
    /// The message's id.
    package var messageId: Int64

    /// Names a message and what all have done.
    package init(kind: Kind, conversation: String, messageId: Int64) {
      self.kind = kind
      self.conversation = conversation
      self.messageId = messageId
    }
  }

  /// The records, in the order in which a service would write them.
  package let records: [Record]
  /// What must be announced, each once, and nothing else.
  package var expected: Set<Announcement> { expectations.announcements }
  /// How many records must be rejected.
  package var badRecordCount: Int { expectations.rejections }
  /// What must come of the records.
  package let expectations: Expectations
  /// The number of members of each group.
  package let groupSizes: [Int]
  /// How many messages the groups get.
  package let messageCount: Int

  /// From two friends to the largest group that is tracked, and one above.
  private static let sizes = [
    2, 2, 3, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 75, 100, 150, 250, 400, 700, 1500, 3000,
    3001,
  ]

  /// Makes the traffic of a seed, with all that a chat service does: conversations of two, replies,
  /// deletes, and members who mark messages as unread.
  package init(seed: UInt64) {
    self.init(seed: seed, groupSizes: Self.sizes, pairs: 8, isWhole: true) { size in
      size < 150 ? 8 : size <= 3000 ? 2 : 1
    }
  }

  /// Makes the traffic of a seed in groups of these sizes, of messages, memberships and receipts
  /// alone: what comes of it does not depend on which topic is read first.
  ///
  /// - Parameter rounds: how often a group of a size goes through talking, receiving and reading.
  package init(seed: UInt64, groupSizes: [Int], rounds: (Int) -> Int) {
    self.init(seed: seed, groupSizes: groupSizes, pairs: 0, isWhole: false, rounds: rounds)
  }

  /// Makes the traffic of a seed in groups of these sizes and so many conversations of two.
  ///
  /// - Parameter isWhole: whether groups have replies, deletes and unread counts.
  package init(
    seed: UInt64, groupSizes: [Int], pairs: Int, isWhole: Bool, rounds: (Int) -> Int
  ) {
    var random = SplitMix64(seed: seed)
    var scripts: [ArraySlice<Record>] = []
    var expectations = Expectations()
    var messageCount = 0
    for (index, size) in groupSizes.enumerated() {
      var group = ExampleTrafficGroup(number: index + 1, size: size, isWhole: isWhole)
      group.play(rounds: rounds(size), using: &random)
      scripts.append(group.records[...])
      group.addExpectations(to: &expectations)
      messageCount += group.messages.count
    }
    for index in 0..<pairs {
      var pair = ExampleTrafficPair("u\(2 * index + 1)", "u\(2 * index + 2)")
      pair.play(rounds: 6, using: &random)
      scripts.append(pair.records[...])
      pair.addExpectations(to: &expectations)
    }
    var records = Self.interleave(scripts, using: &random)
    let bad = Self.badRecords()
    for record in bad {
      records.insert(record, at: Int.random(in: 0...records.count, using: &random))
    }
    expectations.rejections += bad.count
    self.records = records
    self.expectations = expectations
    self.groupSizes = groupSizes
    self.messageCount = messageCount
  }

  /// Merges the groups' records as if all groups were busy all the time.
  private static func interleave(
    _ scripts: [ArraySlice<Record>], using random: inout SplitMix64
  ) -> [Record] {
    var scripts = scripts
    var left = scripts.reduce(0) { $0 + $1.count }
    var records: [Record] = []
    records.reserveCapacity(left)
    while left > 0 {
      var pick = Int.random(in: 0..<left, using: &random)
      for index in scripts.indices {
        if pick < scripts[index].count {
          records.append(scripts[index].removeFirst())
          break
        }
        pick -= scripts[index].count
      }
      left -= 1
    }
    return records
  }

  /// Records that no good client writes, one for each way to be rejected at once.
  private static func badRecords() -> [Record] {
    let receipt = #""sender":{"uid":"u1"},"receiverId":"g1","receiverType":"group""#
    return [
      Record(.receipts, key: "group_g1", value: #"{"receiptType":"read","messageId":"#),
      Record(.receipts, key: "group_g1", value: ""),
      Record(.receipts, key: "group_g1", value: "[]"),
      Record(
        .receipts, key: "group_g1", value: #"{"receiptType":"seen","messageId":1,\#(receipt)}"#),
      Record(.receipts, key: "group_g1", value: #"{"receiptType":"read",\#(receipt)}"#),
      Record(
        .receipts, key: "group_g1", value: #"{"receiptType":"read","messageId":"7",\#(receipt)}"#),
      Record(
        .receipts, key: "group_g1", value: #"{"receiptType":"read","messageId":0,\#(receipt)}"#),
      Record(
        .receipts, key: "group_g2", value: #"{"receiptType":"read","messageId":1,\#(receipt)}"#),
      Record(
        .messages, key: "group_g1",
        value: """
          {"id":999,"receiverId":"g1","receiverType":"group","category":"message",\
          "sentAt":1735689600}
          """),
      Record(.deletes, key: "group_g1", value: #"{"messageId":1,"receiverId":"g1"}"#),
    ]
  }
}

extension ExampleTraffic.Record {
  init(_ topic: InputTopic, key: String, value: String) {
    self.init(topic: topic, key: Array(key.utf8), value: Array(value.utf8))
  }
}
