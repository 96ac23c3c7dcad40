/// What became of a message: given out once, when it is forgotten or at the end.
struct ModelOutcome: Sendable {
  /// What is known of one kind, delivered or read.
  struct Fact: Equatable, Sendable {
    /// Why and when it was announced that all of the audience have done it.
    var announcement: Announcement?
    /// It was announced, or would have been had no delete been accepted.
    var isPossible = false
    /// No announcement can come before the record of the receipts with this offset: all who are
    /// in the audience and have not left are needed for it. Nil where nothing is known.
    var lastNeededReceipt: Int64?
  }

  struct Announcement: Equatable, Sendable {
    var cause: ModelCause
    var at: Int64
  }

  /// A delete that named the message, once it was known or accepted.
  struct Delete: Equatable, Sendable {
    enum Verdict: Equatable, Sendable {
      case accepted
      /// The same as the accepted one.
      case repeated
      case rejected(code: String)
    }

    var offset: Int64
    var by: Bytes
    var verdict: Verdict
    /// Whether another order between the topics can decide otherwise: it or one before it hangs on
    /// a scope.
    var dependsOnOrder = false
  }

  /// The last one; it names the message.
  var status: ModelStatus
  var isGroup: Bool
  var audienceSize: Int
  var facts: ModelByKind<Fact>
  /// The window passed, and it was tracked until then.
  var hasExpired: Bool { status.tracking == .ended(.expired) }
  /// In the order in which they were applied.
  var deletes: [Delete]
  /// The contract's exception of a delete against receipts, memberships and scopes: there was one
  /// that was accepted, or could have been.
  var hasDelete: Bool
  /// The contract's exception of the second limit: the group passed it while the message was
  /// known, or a receipt that covers it may have been passed over or freed for that.
  var passedSecondLimit: Bool
  /// A membership of its audience has ended.
  var leaverInAudience: Bool
  /// Something that covers it waited or came before it, or somebody of its audience has left: what
  /// completed it, and when, hangs on the order in which the topics were applied.
  var isOrderSensitive: Bool
}

/// What became of a thread: given out once, when it is forgotten or at the end.
struct ModelThreadOutcome: Sendable {
  var conversation: Bytes
  var parent: Int64
  var replyCount: Int
  /// Only a scope decides whether some reply is deleted.
  var isExcepted: Bool
}

/// What an outcome tells besides a message's status.
struct ModelStory {
  /// The receipt with the highest offset that cannot be done without, and whose it is.
  struct Needed {
    private(set) var offset: Int64?
    private var number = -1

    mutating func note(_ offset: Int64, of number: Int) {
      guard self.offset.map({ $0 < offset }) ?? true else { return }
      self.offset = offset
      self.number = number
    }

    /// A member is not needed any more.
    mutating func forget(_ number: Int) {
      if self.number == number { self = Needed() }
    }
  }

  var causes = ModelByKind<ModelCause?>(delivered: nil, read: nil)
  var isPossible = ModelByKind(delivered: false, read: false)
  var lastNeeded = ModelByKind(delivered: Needed(), read: Needed())
  var deletes: [ModelOutcome.Delete] = []
  var passedSecondLimit = false
  var leaverInAudience = false
  /// Receipts that cover it came before it, or waited.
  var hasWaited = false
}
