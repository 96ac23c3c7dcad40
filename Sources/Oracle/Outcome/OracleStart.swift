/// A piece of a state that an oracle begins with: what the inputs had come to at some moment.
///
/// It is trusted; what was given out before that moment is not looked at. Times are milliseconds,
/// ids are 0 and times `Int64.min` where there is nothing yet.
package enum OracleStart: Sendable {
  case conversation(Conversation)
  /// A record, with the timestamp that counts for it; the stream time when it was applied; the
  /// places, in its list of ids, of those that have not come; and how many events it has caused.
  case waiting(OracleRecord, appliedAt: Int64, missing: [Int], events: Int)

  /// How much of a roster is known.
  package enum Roster: String, Sendable { case unknown, known, tooLarge }

  /// How far something reaches, an id or a time, and by the receipt of which time.
  package typealias Mark = (value: Int64, at: Int64)

  /// A conversation with all that is known of it.
  package struct Conversation: Sendable {
    /// Its id.
    package var id: [UInt8]
    /// How much of the roster is known.
    package var roster = Roster.unknown
    /// The id of the first roster that was applied.
    package var firstRosterId: Int64?
    /// The id of the roster that ended the second limit.
    package var largeFloor: Int64?
    /// The highest id that has expired.
    package var highestExpiredId: Int64 = 0
    /// When its last record was applied, where it may be forgotten for that.
    package var lastRecordAt: Int64?
    /// Everybody of whom something is known.
    package var members: [Member] = []
    /// Every id that is known, rising.
    package var messages: [Message] = []
    /// How many replies parents have that are not deleted.
    package var replyCounts: [(parent: Int64, count: Int64)] = []
    /// The deletes that were accepted: of which message, by whom and when; and the stream time when
    /// one was accepted before its message came.
    package var deletions: [(id: Int64, by: [UInt8], at: Int64, acceptedAt: Int64?)] = []

    /// A conversation of which nothing is known.
    package init(id: [UInt8]) { self.id = id }
  }

  /// A uid in a conversation.
  package struct Member: Sendable {
    /// The number that marks name the member by.
    package var slot: Int
    /// Who it is.
    package var uid: [UInt8]
    /// The member's rights, by the contract's word.
    package var scope: String
    /// In the order of application.
    package var periods: [Period]
    /// How far the member has come in each list: the conversation is 0, a thread its parent.
    package var lists: [Int64: Progress]
    /// What was sent up to here is received and read.
    package var sentUpTo: (delivered: Mark, read: Mark)
    /// The newest time of a `read` of the whole conversation.
    package var newestConversationRead: Int64

    /// A uid with all that it has said.
    package init(
      slot: Int, uid: [UInt8], scope: String, periods: [Period], lists: [Int64: Progress],
      sentUpTo: (delivered: Mark, read: Mark), newestConversationRead: Int64
    ) {
      self.slot = slot
      self.uid = uid
      self.scope = scope
      self.periods = periods
      self.lists = lists
      self.sentUpTo = sentUpTo
      self.newestConversationRead = newestConversationRead
    }
  }

  /// How far a member has come in a list: what is received and read, where the unread cursor
  /// stands, the highest id that a `read` put it on, and the newest times of a `read` and of an
  /// `unread`.
  package typealias Progress = (
    upTo: (delivered: Mark, read: Mark), cursor: Int64, lastRead: Int64,
    newest: (read: Int64, unread: Int64)
  )

  /// One time of a member in a group: the ids of the records that began and ended it, their
  /// offsets, when it was ended, and whether nobody waits for the member.
  package typealias Period = (
    ids: (begin: Int64, end: Int64?), offsets: (begin: Int64, end: Int64?), endedAt: Int64?,
    isExempt: Bool
  )

  /// An id of the message topic.
  package struct Message: Sendable {
    /// Its id.
    package var id: Int64
    /// The offset of its record.
    package var offset: Int64
    /// Stream time when it was applied.
    package var appliedAt: Int64
    /// When it was sent.
    package var sentAt: Int64
    /// Nil for an action record, and for what counts as one.
    package var body: Body?

    /// A known id.
    package init(id: Int64, offset: Int64, appliedAt: Int64, sentAt: Int64, body: Body?) {
      self.id = id
      self.offset = offset
      self.appliedAt = appliedAt
      self.sentAt = sentAt
      self.body = body
    }
  }

  /// What is known of a message.
  package struct Body: Sendable {
    /// The sender's slot.
    package var sender: Int
    /// Nil, too, where another message had it first.
    package var messageUId: [UInt8]?
    /// 0: not in a thread.
    package var parent: Int64
    /// `on`, `off` or `ended`, and the reason, as its status says them.
    package var tracking: (word: String, reason: String?)
    /// When it was announced as delivered to all and read by all; of two, when the other did it.
    package var doneAt: (delivered: Int64?, read: Int64?)
    /// What is counted once its tracking has ended: done, and still waited for.
    package var finalCounts: (delivered: Int, undelivered: Int, read: Int, unread: Int)?
    /// The slots of those who covered it by exact receipts.
    package var exactly: (delivered: Set<Int>, read: Set<Int>)

    /// A message.
    package init(
      sender: Int, messageUId: [UInt8]?, parent: Int64,
      tracking: (word: String, reason: String?), doneAt: (delivered: Int64?, read: Int64?),
      finalCounts: (delivered: Int, undelivered: Int, read: Int, unread: Int)?,
      exactly: (delivered: Set<Int>, read: Set<Int>) = ([], [])
    ) {
      self.sender = sender
      self.messageUId = messageUId
      self.parent = parent
      self.tracking = tracking
      self.doneAt = doneAt
      self.finalCounts = finalCounts
      self.exactly = exactly
    }
  }
}
