import Core
import Kafka
import Ops
import Wire
import Worker

extension TopicsCommand {
  /// How long reading a partition may take.
  private static let readTimeout = Duration.seconds(600)

  /// Why nothing can be done by hand to a partition: its pool lives, or it is not there.
  func obstacle(to partition: Int32) throws(KafkaError) -> String? {
    let members = try admin.memberCount(of: settings.group)
    guard members == 0 else {
      return
        "group \(settings.group) has \(members) live members: stop the pool first, and wait until "
        + "the sessions of the workers that are gone have ended"
    }
    return try absence(of: partition)
  }

  /// Takes one partition back to its beginning: ends all keys of its changelog, then has the group
  /// forget its offsets. In this order: a worker that starts in between stops with an error.
  func resetState() throws(KafkaError) -> Int32 {
    let partition = Int32(clamping: settings.partition)
    if let obstacle = try obstacle(to: partition) {
      return Console.complain(obstacle, ExitCode.failed)
    }
    guard let state = try state(of: partition), let announced = try announcements(of: partition)
    else { return Console.complain("reading takes too long", ExitCode.failed) }
    if let refusal = try refusal(state, partition) {
      return Console.complain(refusal, ExitCode.configuration)
    }
    let keys = state.keys
    let code = Console.show(
      """
      Partition \(partition) of group \(settings.group) will start from the beginning:
        \(keys.count) pieces of state in \(name(of: .state)) are ended,
        \(name(of: .messages)), \(name(of: .receipts)) and \(name(of: .deletes)) are read again.
      \(name(of: .events)) holds \(announced) events of this partition that announce messages. \
      Each whose messages and receipts are still there will be written again, under its eventId.
      """)
    guard code == ExitCode.done, settings.yes || isConfirmed() else {
      return Console.complain("nothing is changed", ExitCode.failed)
    }
    // The pool may have been started before the answer was typed.
    if let obstacle = try obstacle(to: partition) {
      return Console.complain(obstacle + "; nothing is changed", ExitCode.failed)
    }
    try end(keys, of: partition)
    try forgetOffsets(of: partition)
    return Console.show("done: partition \(partition) starts from the beginning")
  }

  func isConfirmed() -> Bool {
    guard Console.show("Type yes to go on:") == ExitCode.done else { return false }
    var answer: [UInt8] = []
    do throws(Descriptor.Failure) {
      while !answer.contains(UInt8(ascii: "\n")) {
        guard try Descriptor.input.read(upTo: 64, into: &answer) else { break }
      }
    } catch {
      return false
    }
    return String(decoding: answer, as: UTF8.self) == "yes\n"
  }

  /// What a partition's changelog holds.
  struct State {
    /// The keys that it has a value for.
    var keys: Set<[UInt8]> = []
    /// What the last transaction wrote beside the pieces.
    var record: PartitionRecord?
    /// The group whose state it is; nil: no group is named.
    var owner: String?
  }

  /// What a partition's changelog holds; nil when reading takes too long.
  func state(of partition: Int32) throws(KafkaError) -> State? {
    var state = State()
    var fold = StateFold()
    let isDone = try read(.state, partition) { key, value in
      guard let key else { return }
      if value == nil {
        state.keys.remove(bytes(of: key))
      } else {
        state.keys.insert(bytes(of: key))
      }
      guard StateCodec.isPartition(key: key) else { return }
      do throws(StateError) { try fold.take(key: key, value: value) } catch { state.record = nil }
    }
    state.record = fold.record
    state.owner = fold.claimant ?? fold.record?.group
    return isDone ? state : nil
  }

  /// Why another group's state is left alone; nil where it is this group's.
  func refusal(_ state: State, _ partition: Int32) throws(KafkaError) -> String? {
    let (group, remedy) = (settings.group, "name the group whose state it is with --group")
    guard !state.keys.isEmpty, state.owner != group else { return nil }
    if let owner = state.owner {
      return "the state of partition \(partition) is that of group \(owner), not \(group): "
        + remedy
    }
    guard state.record != nil, try !hasCommitted(partition) else { return nil }
    return
      "the state of partition \(partition) names no group (Rollcall 0.1.0 wrote it), and group "
      + "\(group) has committed nothing of it: \(remedy); if Kafka has forgotten what that group "
      + "has committed, start one worker of it first, with --take-over-group \(group)"
  }

  /// Whether the group has committed anything of a partition's inputs.
  private func hasCommitted(_ partition: Int32) throws(KafkaError) -> Bool {
    let consumer = try Consumer(clients, notify: Console.notify)
    defer { consumer.close(within: .seconds(5)) }
    let lanes = Topic.inputs.map { TopicPartition(name(of: $0), partition) }
    return try consumer.committed(lanes, within: .seconds(10)).contains { $0.offset != nil }
  }

  /// How many announcements the partition's events hold; nil when reading takes too long.
  private func announcements(of partition: Int32) throws(KafkaError) -> Int? {
    var count = 0
    let isDone = try read(.events, partition) { _, value in
      if let value, EventGlance(value)?.isAnnouncement == true { count += 1 }
    }
    return isDone ? count : nil
  }

  private func read(
    _ topic: Topic, _ partition: Int32, _ body: (Span<UInt8>?, Span<UInt8>?) -> Void
  ) throws(KafkaError) -> Bool {
    let reader = try TopicReader(
      clients, [TopicPartition(name(of: topic), partition)], notify: Console.notify)
    defer { reader.close() }
    return try reader.readToEnd(within: Self.readTimeout) { _, key, value in body(key, value) }
  }

  /// Ends all keys in one transaction: half of a state is worse than none.
  private func end(_ keys: Set<[UInt8]>, of partition: Int32) throws(KafkaError) {
    let long = Connection(
      bootstrapServers: settings.connection.bootstrapServers,
      properties: settings.connection.properties + [
        Property("transaction.timeout.ms", "300000"), Property("message.timeout.ms", "240000"),
        Property("session.timeout.ms", "360000"), Property("max.poll.interval.ms", "400000"),
      ])
    let settings = try Settings.beside(long, group: settings.group, purpose: "reset-state")
    let producer = try Producer(settings, within: .seconds(60), notify: Console.notify)
    let topic = try producer.topic(name(of: .state), within: .seconds(10))
    for key in keys {
      try producer.produce(topic, partition: partition, key: key.span, value: nil)
    }
    try producer.commit()
  }

  func forgetOffsets(of partition: Int32) throws(KafkaError) {
    do throws(KafkaError) {
      try admin.deleteOffsets(
        of: settings.group, Topic.inputs.map { TopicPartition(name(of: $0), partition) })
    } catch {
      // Kafka has forgotten the whole group: there is nothing left to forget.
      guard case .failed(let failure) = error, failure.name == "GROUP_ID_NOT_FOUND" else {
        throw error
      }
    }
  }

  private func bytes(of span: Span<UInt8>) -> [UInt8] {
    span.indices.map { span[$0] }
  }
}
