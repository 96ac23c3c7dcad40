import Core

extension Option {
  /// The rules of the contract, by the same names for every command that has them.
  static func rules(_ rules: WritableKeyPath<Settings, Rules>) -> [Option] {
    [
      .number(
        "max-group-members", "MEMBERS", rules.appending(path: \.maxGroupMembers),
        in: 1...1_000_000_000,
        help: "The largest group whose messages are tracked; past twice this the roster is dropped."
      ),
      .choice(
        "leavers", rules.appending(path: \.leavers),
        help: "Whether messages still wait for members who have left."),
      .choice(
        "threads", rules.appending(path: \.threads),
        help: "Whether replies belong to the conversation or to a thread of their own."),
      .duration(
        "tracking-window", rules.appending(path: \.trackingWindow),
        help: "How long a message is tracked."),
      .duration(
        "grace", rules.appending(path: \.grace),
        help: "How long a record waits for the message or member that it names."),
      .truth(
        "enhanced-messaging-status", rules.appending(path: \.enhancedMessagingStatus),
        help: "Whether groups have \"to all\" events at all."),
      .number(
        "max-waiting-per-conversation", "RECORDS",
        rules.appending(path: \.maxWaitingPerConversation), in: 1...1_000_000_000,
        help: "The most records that wait in one conversation."),
      .number(
        "max-waiting-per-partition", "RECORDS", rules.appending(path: \.maxWaitingPerPartition),
        in: 1...1_000_000_000, help: "The most records that wait in one partition."),
      .number(
        // What waits is kept whole in the changelog, whose records hold 1 MiB and 64 KiB.
        "max-record-bytes", "BYTES", rules.appending(path: \.maxRecordBytes), in: 1...1_048_576,
        help: "The largest input value that is looked at."),
      .choice(
        "receipt-events", rules.appending(path: \.receiptEvents),
        help: "For which conversations messagesDelivered and messagesRead are written."),
      .choice(
        "unread-events", rules.appending(path: \.unreadEvents),
        help: "When unreadChanged is written."),
    ]
  }
}
