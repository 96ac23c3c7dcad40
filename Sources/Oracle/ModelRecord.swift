/// One line of a history, decoded.
enum ModelLine {
  case tick(Int64)
  case record(ModelRecord)
}

/// An input record, decoded or found bad. Times are milliseconds.
struct ModelRecord {
  enum Topic: String, CaseIterable {
    case messages, receipts, deletes

    /// The letter of the topic in an event id.
    var letter: String { String(rawValue.prefix(1)) }
  }

  var topic: Topic
  var partition: Int32 = 0
  /// In `replay` the line's number.
  var offset: Int64
  /// In `replay` the line's, or else the record's own time.
  var timestamp: Int64?
  /// In `replay` the line's, or else the one that the fields give.
  var key: Bytes?
  /// The value's text.
  var value: Bytes?
  var content: Content

  enum Content {
    case fault(ModelFault)
    case edit(ModelConversationName)
    case message(ModelMessageRecord)
    case membership(ModelMembershipRecord)
    case action(id: Int64, in: ModelConversationName, sentAt: Int64)
    case receipt(ModelReceiptRecord)
    case delete(ModelDeleteRecord)

    /// The conversation that it is applied to; nil for a bad record.
    var conversation: ModelConversationName? {
      switch self {
      case .fault: nil
      case .edit(let name): name
      case .message(let message): message.conversation
      case .membership(let membership): membership.conversation
      case .action(_, let name, _): name
      case .receipt(let receipt): receipt.conversation
      case .delete(let delete): delete.conversation
      }
    }
  }
}

/// Why a record is rejected.
struct ModelFault: Error, Equatable {
  var code: String
  var field: String?

  init(_ code: String, _ field: String? = nil) {
    self.code = code
    self.field = field
  }
}

/// A conversation as a record names it.
struct ModelConversationName: Equatable {
  var id: Bytes
  /// The guid of a group; nil where two users talk.
  var guid: Bytes?
  var receiver: Bytes
  /// The users of a conversation of two, in byte order; one who talks to himself once.
  var users: [Bytes] = []

  /// The group, or both parties, as an event names its recipients.
  var everybody: JSON {
    if let guid { return ["guid": .string(guid)] }
    return ["uids": .array(users.map(JSON.string))]
  }
}

struct ModelMessageRecord {
  var id: Int64
  var conversation: ModelConversationName
  var sender: Bytes
  var sentAt: Int64
  var messageUId: Bytes?
  var parentMessageId: Int64
  var needReceipt: Bool
}

struct ModelMembershipRecord {
  enum Action: String, CaseIterable {
    case roster, joined, added, reactivated, left, kicked, banned, deactivated, unbanned
    case scopeChanged
  }

  struct Member {
    var uid: Bytes
    var scope: ModelScope
    var isExempt: Bool
  }

  var id: Int64
  var conversation: ModelConversationName
  var action: Action
  var members: [Member]
  var sentAt: Int64
}

enum ModelScope: String {
  case participant, moderator, admin, owner
}

struct ModelReceiptRecord {
  enum Kind: String {
    case delivered, read, unread

    var timeField: String { rawValue + "At" }
  }

  enum Covers {
    case upTo(Int64)
    case conversation
    case exactly([ModelTarget])
  }

  var kind: Kind
  var conversation: ModelConversationName
  var sender: Bytes
  var covers: Covers
  /// The time in the record.
  var at: Int64?
  var parentMessageId: Int64
}

/// A message as an exact receipt names it.
enum ModelTarget: Hashable {
  case id(Int64)
  case uid(Bytes)
}

struct ModelDeleteRecord {
  var messageId: Int64
  var conversation: ModelConversationName
  var deletedBy: Bytes
  /// `deletedBy` as it came.
  var deletedByObject: JSON
  var deletedByText: Bytes?
  var at: Int64?
  /// The original, where the record brings one that is not empty.
  var original: JSON?
  /// The text between the original's braces.
  var originalText: Bytes?

  /// The original's parent, where it says one.
  var parentOfOriginal: Int64 {
    if case .int(let parent)? = original?["parentMessageId"] { parent } else { 0 }
  }
}

extension ModelRecord {
  init(_ input: ModelInput, content: Content) {
    topic = input.topic
    partition = input.partition
    offset = input.offset
    timestamp = input.timestamp
    key = input.key.map { Bytes($0) }
    value = input.value.map { Bytes($0) }
    self.content = content
  }
}
