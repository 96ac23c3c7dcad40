/// The error codes of the contract.
package enum ErrorCode: String, CaseIterable, Sendable {
  case badJSON = "ERR_BAD_JSON"
  case badRecord = "ERR_BAD_RECORD"
  case wrongKey = "ERR_WRONG_KEY"
  case recordTooLarge = "ERR_RECORD_TOO_LARGE"
  case invalidMessageId = "ERR_INVALID_MESSAGE_ID"
  case messageNotFound = "ERR_MESSAGE_NOT_FOUND"
  case uidNotFound = "ERR_UID_NOT_FOUND"
  case cannotMarkOwnMessage = "ERR_CANNOT_MARK_OWN_MESSAGE"
  case permissionDenied = "ERR_PERMISSION_DENIED"
  case messageAlreadyDeleted = "ERR_MESSAGE_ALREADY_DELETED"
  case invalidParentMessageId = "ERR_INVALID_PARENT_MESSAGE_ID"
  case wrongMessageThread = "ERR_WRONG_MESSAGE_THREAD"
  case idInUse = "ERR_ID_IN_USE"
  case skipped = "ERR_SKIPPED"
}

/// Why a record could not be applied. The texts are constants: nothing of the record is in them.
package struct Rejection: Equatable, Sendable {
  /// The code.
  package var code: ErrorCode
  /// The field at fault, as the contract writes it (`sender.uid`); nil where none is.
  package var field: StaticString?
  /// One sentence for people.
  package var message: StaticString

  /// A rejection with the code's own sentence, or a more telling one.
  package init(_ code: ErrorCode, field: StaticString? = nil, message: StaticString? = nil) {
    self.code = code
    self.field = field
    self.message = message ?? code.sentence
  }

  /// Whether code and field are the same.
  package static func == (a: Rejection, b: Rejection) -> Bool {
    a.code == b.code && a.field?.description == b.field?.description
  }
}

extension ErrorCode {
  /// What the code means, in one sentence.
  package var sentence: StaticString {
    switch self {
    case .badJSON: "The value is not valid JSON."
    case .badRecord: "A field is missing or has the wrong type or value."
    case .wrongKey: "The key is not the conversation id that the record's fields give."
    case .recordTooLarge: "The value is larger than maxRecordBytes."
    case .invalidMessageId: "A message id is not an integer from 1 to 2^63 - 1."
    case .messageNotFound: "No message with this id came in time."
    case .uidNotFound: "This uid has no membership in the group, and got none in time."
    case .cannotMarkOwnMessage: "A member cannot mark his own message as unread."
    case .permissionDenied:
      "Only the sender, an owner, an admin, a moderator or the system may delete."
    case .messageAlreadyDeleted: "The message was deleted before, by another delete."
    case .invalidParentMessageId: "The parent's id is negative or not below the message's own id."
    case .wrongMessageThread: "The parent is itself a reply."
    case .idInUse: "Another record of the conversation has this id: its time or sender differs."
    case .skipped: "An operator had this record skipped unread."
    }
  }
}
