/// The options of the contract, one for each rule that an operator can set.
package struct Rules: Equatable, Sendable {
  /// What the end of a membership means for messages that still wait for its member.
  package enum Leavers: String, CaseIterable, Sendable {
    /// The member is no longer waited for.
    case release
    /// The member is still waited for.
    case hold
  }

  /// Whether replies belong to the conversation or to a thread of their own.
  package enum Threads: String, CaseIterable, Sendable {
    /// A reply is a message of the conversation.
    case inline
    /// A thread has watermarks and an unread count of its own.
    case separate
  }

  /// The conversations for which `messagesDelivered` and `messagesRead` are written.
  package enum ReceiptEvents: String, CaseIterable, Sendable {
    case all, direct, none
  }

  /// When `unreadChanged` is written: for every change, only in answer to an accepted `unread`, or
  /// never.
  package enum UnreadEvents: String, CaseIterable, Sendable {
    case all, requested, none
  }

  /// The largest group whose messages are tracked, in members; of a group with more than
  /// twice as many the roster is forgotten.
  package var maxGroupMembers = 3000
  /// What becomes of leavers.
  package var leavers = Leavers.release
  /// Where replies belong.
  package var threads = Threads.inline
  /// How long a message is tracked, of stream time.
  package var trackingWindow: Milliseconds = 7 * 24 * 60 * 60 * 1000
  /// How long a record waits for what it names, of stream time.
  package var grace: Milliseconds = 5 * 60 * 1000
  /// Whether groups have "to all" events at all.
  package var enhancedMessagingStatus = true
  /// The most records that wait in one conversation; at least 1.
  package var maxWaitingPerConversation = 10_000
  /// The most records that wait in one partition; at least 1.
  package var maxWaitingPerPartition = 1_000_000
  /// The largest input value that is looked at, in bytes.
  package var maxRecordBytes = 768 * 1024
  /// Where `messagesDelivered` and `messagesRead` are written.
  package var receiptEvents = ReceiptEvents.all
  /// When `unreadChanged` is written.
  package var unreadEvents = UnreadEvents.all

  /// The largest group whose roster is kept, in members.
  var rosterLimit: Int { 2 * maxGroupMembers }

  /// The defaults of the contract.
  package init() {}
}
