/// How far a member has come: in the conversation, or in one thread of it.
package struct Progress: Equatable, Sendable {
  /// How far the member has received.
  package var delivered = Watermarks()
  /// How far the member has read.
  package var read = Watermarks()
  /// The member's unread cursor.
  package var cursor = Cursor()

  /// The watermarks that a receipt moves.
  package subscript(kind: ReceiptKind) -> Watermarks {
    get { kind == .read ? read : delivered }
    set { if kind == .read { read = newValue } else { delivered = newValue } }
  }

  /// Whether the watermarks cover a message as read.
  func hasRead(_ message: MessageFacts) -> Bool { read.cover(message) }

  /// Whether the watermarks cover a message as delivered; what is read is delivered.
  func hasReceived(_ message: MessageFacts) -> Bool {
    delivered.cover(message) || read.cover(message)
  }

  /// Takes the time watermarks of the member, which hold in every thread.
  mutating func takeTimes(of member: Progress) {
    delivered.raise(sentUpTo: member.delivered.sentUpTo, at: member.delivered.sentUpToAt)
    read.raise(sentUpTo: member.read.sentUpTo, at: member.read.sentUpToAt)
  }
}

/// How far a member has come in a thread.
struct ThreadProgress {
  var progress = Progress()
  var isChanged = false
  var isWritten = false
}

/// A member in a thread.
struct ThreadMember: Hashable, Comparable {
  var slot: Int32
  var parent: Int64

  static func < (a: ThreadMember, b: ThreadMember) -> Bool {
    (a.slot, a.parent) < (b.slot, b.parent)
  }
}
