import Core

/// One conversation of two in the example traffic, and what must come of it.
struct ExampleTrafficPair {
  private struct Message {
    var id: Int64
    /// Who wrote it: 0 or 1.
    var sender: Int
    var sentAt: Int64
    var parent: Int64 = 0
    var isDeleted = false
    var isRead = false
  }

  /// The two, in byte order.
  private let uids: [String]
  private let conversation: String
  private(set) var records: [ExampleTraffic.Record] = []
  private var messages: [Message] = []
  private var expectations = ExampleTraffic.Expectations()
  /// Unix seconds, long past.
  private var now: Int64 = 1_735_689_600

  /// Two who talk; `a` comes before `b`.
  init(_ a: String, _ b: String) {
    uids = [a, b].sorted()
    conversation = "\(uids[0])_user_\(uids[1])"
  }

  /// Plays rounds of: one of them writes, the other receives and reads. What is written in the last
  /// round may stay unread.
  mutating func play(rounds: Int, using random: inout SplitMix64) {
    for round in 1...rounds {
      let sender = Int.random(in: 0...1, using: &random)
      let first = messages.count
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        writeMessage(by: sender, using: &random)
      }
      if Bool.random(using: &random) { writeReceipt("delivered", by: 1 - sender) }
      if round < rounds || Bool.random(using: &random) {
        // One by one, or with all that went before.
        let isExact = Int.random(in: 0..<3, using: &random) == 0
        writeReceipt("read", by: 1 - sender, only: isExact ? first..<messages.count : nil)
      }
      if round == 3 { deleteMessages() }
    }
    markUnread()
  }

  /// Adds what must come of its records.
  func addExpectations(to all: inout ExampleTraffic.Expectations) {
    for message in messages {
      if message.isDeleted {
        all.deleted.insert(name(message.id))
      } else {
        all.direct[name(message.id)] = message.isRead
      }
    }
    all.threads.merge(expectations.threads) { $1 }
    all.unread.merge(expectations.unread) { $1 }
    all.rejections += expectations.rejections
  }

  private func name(_ id: Int64) -> ExampleTraffic.MessageName {
    ExampleTraffic.MessageName(conversation: conversation, id: id)
  }

  private mutating func writeMessage(by sender: Int, using random: inout SplitMix64) {
    now += 10
    var message = Message(id: Int64(messages.count + 1), sender: sender, sentAt: now)
    let parents = messages.filter { $0.parent == 0 && !$0.isDeleted }
    if Int.random(in: 0..<4, using: &random) == 0,
      let parent = parents.randomElement(using: &random)
    {
      message.parent = parent.id
      expectations.threads[name(parent.id), default: .init()].updates += 1
      expectations.threads[name(parent.id)]?.replyCount += 1
    }
    messages.append(message)
    write(
      .messages, by: sender,
      #""id":\#(message.id),"sender":{"uid":"\#(uids[sender])"},"category":"message","#
        + #""type":"text","sentAt":\#(now),"parentMessageId":\#(message.parent),"text":"Hello""#)
  }

  /// Writes a receipt for all there is, or for some only.
  private mutating func writeReceipt(_ type: String, by reader: Int, only: Range<Int>? = nil) {
    now += 10
    for index in only ?? messages.indices
    where type == "read" && messages[index].sender != reader {
      messages[index].isRead = true
    }
    let covers =
      only.map { range in
        #""messageIds":[\#(messages[range].map { "\($0.id)" }.joined(separator: ","))]"#
      } ?? #""messageId":\#(messages.count)"#
    write(
      .receipts, by: reader,
      #""receiptType":"\#(type)",\#(covers),"sender":{"uid":"\#(uids[reader])"},"#
        + #""\#(type)At":\#(now)"#)
  }

  /// The sender takes his first message back; the other cannot take back another one of his.
  private mutating func deleteMessages() {
    now += 10
    let sender = messages[0].sender
    messages[0].isDeleted = true
    writeDelete(of: 1, by: sender)
    guard let other = messages.dropFirst().first(where: { $0.sender == sender }) else { return }
    writeDelete(of: other.id, by: 1 - sender)
    expectations.rejections += 1
  }

  private mutating func writeDelete(of id: Int64, by actor: Int) {
    write(
      .deletes, by: actor,
      #""messageId":\#(id),"deletedBy":{"uid":"\#(uids[actor])"},"deletedAt":\#(now)"#)
  }

  /// Who got the last message marks the first one that he got and still has as unread.
  private mutating func markUnread() {
    guard let last = messages.last else { return }
    now += 3600
    let reader = 1 - last.sender
    let theirs = messages.filter { $0.sender == last.sender && !$0.isDeleted }
    guard let message = theirs.first else { return }
    write(
      .receipts, by: reader,
      #""receiptType":"unread","messageId":\#(message.id),"sender":{"uid":"\#(uids[reader])"},"#
        + #""unreadAt":\#(now)"#)
    let member = ExampleTraffic.MemberName(conversation: conversation, uid: uids[reader])
    expectations.unread[member] = .init(
      count: theirs.count - 1, from: theirs.dropFirst().first?.id)
  }

  /// Writes a record of one of the two.
  private mutating func write(_ topic: InputTopic, by actor: Int, _ fields: String) {
    records.append(
      .init(
        topic, key: conversation,
        value: #"{\#(fields),"receiverId":"\#(uids[1 - actor])","receiverType":"user"}"#))
  }
}
