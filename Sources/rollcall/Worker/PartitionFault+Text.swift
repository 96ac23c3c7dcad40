import Core
import Wire
import Worker

extension PartitionFault {
  /// A fixed word.
  var label: String {
    switch self {
    case .offsetsDiffer: "offsets_differ"
    case .offsetWithoutState: "offset_without_state"
    case .versionsDiffer: "versions_differ"
    case .beyondEnd: "offset_beyond_end"
    case .belowStart: "offset_below_start"
    case .madeAnew: "topic_made_anew"
    case .stateIncomplete: "state_incomplete"
    case .unreadableState: "unreadable_state"
    }
  }

  /// What is wrong and how to mend it.
  func detail(_ names: TopicNames, group: String, partition: Int32) -> String {
    switch self {
    case .offsetsDiffer(let topic, let committed, let changelog):
      return "the group's offset of \(names[topic]) is \(committed), the state's \(changelog): "
        + Self.forget(group)
    case .offsetWithoutState(let topic, let committed):
      return "the group's offset of \(names[topic]) is \(committed), and \(names[.state]) has no "
        + "state for it: bring the topic back, or begin the partition anew: stop the pool, and "
        + "rollcall topics reset-state --group \(group) --partition \(partition)"
    case .versionsDiffer(let committed, let changelog):
      return
        "the group's offset was committed with version '\(committed)', the state ends with "
        + "'\(changelog)': if \(names[.state]) was brought back from a copy, or has lost its end, "
        + "it is too old, and only rollcall topics reset-state begins the partition anew; else "
        + Self.forget(group)
    case .beyondEnd(let topic, let offset, let end):
      return "the offset \(offset) of \(names[topic]) lies beyond its end \(end): the topic was "
        + "truncated or made anew; to go on at its beginning with the state kept, "
        + Self.accept(group, partition)
    case .belowStart(let topic, let offset, let start):
      return "the records \(offset) to \(start - 1) of \(names[topic]) were deleted unread: raise "
        + "the topic's retention; to go on behind them with the state kept, "
        + Self.accept(group, partition)
    case .madeAnew(let topic, let applied, let found):
      let there = found.map { "one of \($0.milliseconds)" } ?? "none"
      return "a record applied of \(names[topic]), at offset \(applied.offset), had the "
        + "timestamp \(applied.timestamp?.milliseconds ?? 0), and there is \(there) there now: the "
        + "topic was made anew; to go on at its beginning with the state kept, "
        + Self.accept(group, partition)
    case .stateIncomplete(let written, let found):
      return "\(names[.state]) holds \(found.text), and should hold \(written.text): it has lost "
        + "records (a cleanup.policy with delete, a copy that is not whole); bring the topic back "
        + "from where it is whole, or begin the partition anew: stop the pool, and rollcall topics "
        + "reset-state --group \(group) --partition \(partition)"
    case .unreadableState(let label):
      return "\(names[.state]) holds what this version cannot read (\(label)): start the version "
        + "that wrote it, or a later one; where no Rollcall wrote it, stop the pool and begin anew "
        + "with rollcall topics reset-state --group \(group) --partition \(partition)"
    }
  }

  /// The state knows its positions; so the group's may go.
  private static func forget(_ group: String) -> String {
    "stop the pool and have Kafka forget the group's offsets (kafka-consumer-groups --delete "
      + "--group \(group)); the state knows its positions, and the pool goes on there"
  }

  private static func accept(_ group: String, _ partition: Int32) -> String {
    "stop the pool, then rollcall topics accept-loss --group \(group) --partition \(partition); or "
      + "start the workers with --gaps continue"
  }
}

extension StateTally {
  /// The counts in words.
  var text: String {
    let kinds = [
      "conversations", "members", "messages", "marks", "waiting", "threads", "positions", "deletes",
    ]
    let parts = zip(kinds, counts).filter { $0.1 != 0 }.map { "\($0.1) \($0.0)" }
    return "\(total) pieces of state (" + parts.joined(separator: ", ")
      + ", keys \(String(keySum, radix: 16)))"
  }
}

extension Rules {
  /// What is different from former rules, such as `leavers release to hold`.
  func changes(
    since former: Rules, as text: (String, String, String) -> String = { "\($0) \($1) to \($2)" }
  ) -> String {
    Option.rules(\Rules.self).compactMap { option in
      let (old, new) = (option.show(former), option.show(self))
      return old == new ? nil : text(option.name, old, new)
    }.joined(separator: ", ")
  }
}
