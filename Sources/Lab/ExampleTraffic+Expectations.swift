extension ExampleTraffic {
  /// A message by its conversation and id.
  package struct MessageName: Hashable, Sendable {
    /// The conversation's id.
    package var conversation: String
    /// The message's id.
    package var id: Int64

    /// Names a message.
    package init(conversation: String, id: Int64) {
      self.conversation = conversation
      self.id = id
    }
  }

  /// A member by his conversation and uid.
  package struct MemberName: Hashable, Sendable {
    /// The conversation's id.
    package var conversation: String
    /// His uid.
    package var uid: String

    /// Names a member.
    package init(conversation: String, uid: String) {
      self.conversation = conversation
      self.uid = uid
    }
  }

  /// What becomes of a thread.
  package struct Thread: Equatable, Sendable {
    /// How often a reply was added or deleted.
    package var updates = 0
    /// How many replies there are in the end.
    package var replyCount = 0
  }

  /// A member's unread messages.
  package struct Unread: Equatable, Sendable {
    /// How many.
    package var count: Int
    /// The lowest of them.
    package var from: Int64?
  }

  /// What must come of the records, and nothing else of its kind.
  package struct Expectations: Sendable {
    /// What must be announced, each once.
    package var announcements: Set<Announcement> = []
    /// Which messages are deleted. Whether such a message is announced before depends on what is
    /// applied first, a delete or the last receipt.
    package var deleted: Set<MessageName> = []
    /// The threads, by parent.
    package var threads: [MessageName: Thread] = [:]
    /// What the last count says of each member who marked a message as unread.
    package var unread: [MemberName: Unread] = [:]
    /// Of the messages between two that are not deleted, whether they are read.
    package var direct: [MessageName: Bool] = [:]
    /// How many records must be rejected.
    package var rejections = 0
  }
}
