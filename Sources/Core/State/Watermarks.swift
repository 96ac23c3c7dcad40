/// How far a member has come with one kind of receipt.
package struct Watermarks: Equatable, Sendable {
  /// The highest id covered together with all before it (0: none).
  package var upTo: Int64 = 0
  /// The time of the receipt that put it there.
  package var upToAt = Instant.distantPast
  /// Every message sent at or before this is covered (`distantPast`: none).
  package var sentUpTo = Instant.distantPast
  /// The time of the receipt that put it there.
  package var sentUpToAt = Instant.distantPast

  /// Nothing covered yet.
  package init() {}

  /// Whether they cover a message.
  func cover(_ message: MessageFacts) -> Bool { message.id <= upTo || coverSent(message.sentAt) }

  /// Whether the time watermark covers a message sent then.
  func coverSent(_ sentAt: Instant) -> Bool { sentAt <= sentUpTo && sentUpTo != .distantPast }

  /// The time of what covers a message.
  func time(of message: MessageFacts) -> Instant? {
    if message.id <= upTo { return upToAt }
    return cover(message) ? sentUpToAt : nil
  }

  /// Moves the watermark by id, for a receipt of a time.
  mutating func raise(upTo id: Int64, at: Instant) {
    upTo = id
    upToAt = at
  }

  /// Moves the watermark by time, for a receipt of a time.
  mutating func raise(sentUpTo limit: Instant, at: Instant) {
    sentUpTo = limit
    sentUpToAt = at
  }
}

/// What decides of a message who has to receive it and which watermarks cover it.
struct MessageFacts {
  var id: Int64
  var sequence: Int64
  var appliedAt: Instant
  var sentAt: Instant
  /// The sender's slot.
  var sender: Int32
}
