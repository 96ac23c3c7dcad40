extension ExampleTraffic {
  /// How all that came of the traffic compares with what had to.
  ///
  /// The events of a conversation are added in their order.
  package struct Comparison: Sendable {
    private let expectations: Expectations
    /// How the announcements compare; those of messages that are deleted later may come or not.
    package private(set) var announcements: Tally
    private var eventIds: Set<String> = []
    private var repeated = 0
    private var deleted: Set<MessageName> = []
    private var announcedAfterDelete = 0
    private var threads: [MessageName: Thread] = [:]
    private var unread: [MemberName: Unread] = [:]
    private var direct: [MessageName: Bool] = [:]

    /// How many action messages came.
    package private(set) var actions = 0
    /// How many records were rejected.
    package private(set) var rejections = 0

    /// Nothing added yet.
    package init(_ expectations: Expectations) {
      self.expectations = expectations
      announcements = Tally(expected: expectations.announcements)
    }

    /// Adds a record of `chat.events`.
    package mutating func add(event text: String) {
      if let id = text.between(#""eventId":""#, "\""), !eventIds.insert(String(id)).inserted {
        repeated += 1
      }
      for happening in ExampleTraffic.happenings(inEvent: text) {
        switch happening {
        case .announced(let announcement): add(announcement)
        case .deleted(let message, _): deleted.insert(message)
        case .threadUpdated(let parent, let replyCount):
          threads[parent, default: Thread()].updates += 1
          threads[parent]?.replyCount = replyCount
        case .unreadChanged(let member, let count, let from):
          unread[member] = Unread(count: count, from: from)
        }
      }
    }

    private mutating func add(_ announcement: Announcement) {
      let message = MessageName(
        conversation: announcement.conversation, id: announcement.messageId)
      if deleted.contains(message) { announcedAfterDelete += 1 }
      if !expectations.deleted.contains(message) { announcements.add(announcement) }
    }

    /// Adds a record of `chat.status`.
    package mutating func add(statusKey key: String, value: String) {
      let parts = key.split(separator: "#")
      guard parts.count == 2, let id = Int64(parts[1]) else { return }
      let message = MessageName(conversation: String(parts[0]), id: id)
      guard expectations.direct[message] != nil else { return }
      direct[message] = value.firstRange(of: #""readAt":"#) != nil
    }

    /// Adds a record of `chat.actions`.
    package mutating func addAction() { actions += 1 }
    /// Adds a record of `chat.rejected`.
    package mutating func addRejection() { rejections += 1 }

    /// How many deletes came that had to.
    package var deletes: Int { deleted.intersection(expectations.deleted).count }
    /// How often a reply came or went that had to.
    package var threadUpdates: Int {
      threads.reduce(0) { sum, thread in
        sum + min(thread.value.updates, expectations.threads[thread.key]?.updates ?? 0)
      }
    }
    /// How many members' last unread counts are right.
    package var unreadCounts: Int { expectations.unread.count { unread[$0.key] == $0.value } }
    /// How many statuses of messages between two are right.
    package var directStatuses: Int { expectations.direct.count { direct[$0.key] == $0.value } }

    /// How many events came again.
    package var duplicates: Int { repeated + announcements.duplicates }
    /// How much had to come and did not, or came otherwise than it had to.
    package var missing: Int {
      announcements.missing + expectations.deleted.subtracting(deleted).count
        + expectations.threads.count { threads[$0.key] != $0.value }
        + expectations.unread.count - unreadCounts + expectations.direct.count - directStatuses
    }
    /// How much came that had not to.
    package var unexpected: Int {
      announcements.unexpected + announcedAfterDelete
        + deleted.subtracting(expectations.deleted).count
        + threads.keys.count { expectations.threads[$0] == nil }
    }
    /// Whether all is as it had to be.
    package var isRight: Bool {
      missing == 0 && duplicates == 0 && unexpected == 0
        && actions == expectations.deleted.count && rejections == expectations.rejections
    }
  }
}
