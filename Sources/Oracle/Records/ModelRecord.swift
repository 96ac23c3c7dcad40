/// An input record, decoded or found bad.
struct ModelRecord: Sendable {
  enum Topic: String, CaseIterable, Sendable {
    case messages, receipts, deletes

    /// The letter of the topic in an event id.
    var letter: String { String(rawValue.prefix(1)) }
  }

  let input: ModelInput
  let content: Content

  enum Content: Sendable {
    case fault(ModelFault)
    case edit
    case message(ModelMessageRecord)
    case membership(ModelMembershipRecord)
    case action(id: Int64, in: ModelConversationName, sentAt: Int64)
    case receipt(ModelReceiptRecord)
    case delete(ModelDeleteRecord)

    /// The conversation that it is applied to; nil for a bad record, and for one that changes
    /// nothing.
    var conversation: ModelConversationName? {
      switch self {
      case .fault, .edit: nil
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
struct ModelFault: Error, Equatable, Sendable {
  var code: String
  var field: String?
  /// The code of another fault of the record, which may be named as well.
  var otherCode: String?

  init(_ code: String, _ field: String? = nil) {
    self.code = code
    self.field = field
  }
}

/// A conversation as a record names it.
final class ModelConversationName: Sendable {
  /// The uid of the system, which may delete everywhere.
  static let system: Bytes = "app_system"

  let id: Bytes
  /// The guid of a group; nil where two users talk.
  let guid: Bytes?
  let receiver: Bytes
  /// The users of a conversation of two, in byte order; one who talks to himself once.
  let users: [Bytes]

  init(id: Bytes, guid: Bytes?, receiver: Bytes, users: [Bytes] = []) {
    self.id = id
    self.guid = guid
    self.receiver = receiver
    self.users = users
  }
}

struct ModelMessageRecord: Sendable {
  var id: Int64
  var conversation: ModelConversationName
  var sender: Bytes
  var sentAt: Int64
  var messageUId: Bytes?
  var parentMessageId: Int64
  var needReceipt: Bool
}

struct ModelMembershipRecord: Sendable {
  enum Action: String, CaseIterable, Sendable {
    case roster, joined, added, reactivated, left, kicked, banned, deactivated, unbanned
    case scopeChanged
  }

  struct Member: Sendable {
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

enum ModelScope: String, Sendable {
  case participant, moderator, admin, owner
}

struct ModelReceiptRecord: Sendable {
  enum Kind: String, Sendable {
    case delivered, read, unread

    var timeField: String { rawValue + "At" }
  }

  enum Covers: Sendable {
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
enum ModelTarget: Hashable, Sendable {
  case id(Int64)
  case uid(Bytes)
}

struct ModelDeleteRecord: Sendable {
  var messageId: Int64
  var conversation: ModelConversationName
  var deletedBy: Bytes
  /// `deletedBy` as it came.
  var deletedByObject: JSONNode
  var at: Int64?
  /// The original, where the record brings one that is not empty.
  var original: JSONNode?

  /// The original's parent, where it says one.
  var parentOfOriginal: Int64 { original?["parentMessageId"]?.int ?? 0 }
}
