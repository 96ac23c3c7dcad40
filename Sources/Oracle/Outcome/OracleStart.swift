/// A piece of a state that an oracle begins with: what the inputs had come to at some moment.
///
/// It is trusted; what was given out before that moment is not looked at. Times are milliseconds,
/// ids are 0 and times `Int64.min` where there is nothing yet.
package enum OracleStart: Sendable {
  case conversation(Conversation)
  case waiting(Waiting)

  /// How much of a roster is known.
  package enum Roster: Sendable { case unknown, known, tooLarge }

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
    /// The deletes that were accepted.
    package var deletions: [Deletion] = []

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

  /// How far something reaches, and by the receipt of which time.
  package struct Mark: Sendable {
    /// An id or a time.
    package var value: Int64
    /// The receipt's time.
    package var at: Int64

    /// A place, and the time of what put it there.
    package init(_ value: Int64, at time: Int64) {
      self.value = value
      at = time
    }
  }

  /// How far a member has come in a list.
  package struct Progress: Sendable {
    /// What is received and read.
    package var upTo: (delivered: Mark, read: Mark)
    /// Where the unread cursor stands.
    package var cursor: Int64
    /// The highest id that a `read` put it on.
    package var lastRead: Int64
    /// The newest times of a `read` and of an `unread`.
    package var newest: (read: Int64, unread: Int64)

    /// How far a member has come.
    package init(
      upTo: (delivered: Mark, read: Mark), cursor: Int64, lastRead: Int64,
      newest: (read: Int64, unread: Int64)
    ) {
      self.upTo = upTo
      self.cursor = cursor
      self.lastRead = lastRead
      self.newest = newest
    }
  }

  /// One time of a member in a group.
  package struct Period: Sendable {
    /// The ids of the records that began and ended it.
    package var ids: (begin: Int64, end: Int64?)
    /// The offsets of these records.
    package var offsets: (begin: Int64, end: Int64?)
    /// When it was ended.
    package var endedAt: Int64?
    /// Nobody waits for the member.
    package var isExempt: Bool

    /// A membership.
    package init(
      ids: (begin: Int64, end: Int64?), offsets: (begin: Int64, end: Int64?), endedAt: Int64?,
      isExempt: Bool
    ) {
      self.ids = ids
      self.offsets = offsets
      self.endedAt = endedAt
      self.isExempt = isExempt
    }
  }

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

  /// A delete that was accepted.
  package struct Deletion: Sendable {
    /// The message's id.
    package var id: Int64
    /// Who deleted it.
    package var by: [UInt8]
    /// When.
    package var at: Int64
    /// Stream time when it was accepted before its message came.
    package var acceptedAt: Int64?

    /// An accepted delete.
    package init(id: Int64, by: [UInt8], at: Int64, acceptedAt: Int64?) {
      self.id = id
      self.by = by
      self.at = at
      self.acceptedAt = acceptedAt
    }
  }

  /// A record that waits.
  package struct Waiting: Sendable {
    /// The record, with the timestamp that counts for it.
    package var record: OracleRecord
    /// Stream time when it was applied.
    package var appliedAt: Int64
    /// The places, in its list of ids, of those that have not come.
    package var missing: [Int]
    /// How many events it has caused.
    package var events: Int

    /// A record, and what it still waits for.
    package init(record: OracleRecord, appliedAt: Int64, missing: [Int], events: Int) {
      self.record = record
      self.appliedAt = appliedAt
      self.missing = missing
      self.events = events
    }
  }
}
