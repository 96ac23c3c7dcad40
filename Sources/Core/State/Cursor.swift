/// A member's unread cursor in the conversation, or in one thread of it.
package struct Cursor: Equatable, Sendable {
  /// Messages above it are unread; 0 at the beginning.
  package var position: Int64 = 0
  /// The highest id that a `read` put it on; 0 before any.
  package var lastReadId: Int64 = 0
  /// The newest time of a cumulative `read` applied so far.
  package var newestRead = Instant.distantPast
  /// The newest time of an `unread` applied so far.
  package var newestUnread = Instant.distantPast
  /// The newest time of a `read` of the whole conversation, which counts in every thread, known or
  /// still to come; kept where threads are separate, in the conversation's own cursor.
  package var newestConversationRead = Instant.distantPast

  /// A cursor at the beginning.
  package init() {}

  /// Puts the cursor before a message that a member has marked as unread.
  ///
  /// - Parameter everywhere: the newest `read` of the whole conversation, which counts here, too.
  mutating func markUnread(from id: Int64, at: Instant, everywhere: Instant) {
    if at >= max(newestRead, everywhere) { position = id }
    newestUnread = max(newestUnread, at)
  }

  /// Moves the cursor on to a message, for a cumulative `read`.
  mutating func markRead(upTo id: Int64, at: Instant) {
    newestRead = max(newestRead, at)
    guard at >= newestUnread, id >= position else { return }
    position = id
    lastReadId = max(lastReadId, id)
  }
}
