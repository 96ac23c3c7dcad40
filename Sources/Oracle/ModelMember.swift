/// A uid in a conversation, with all that it has said.
final class ModelMember {
  let uid: Bytes
  /// Its number in the conversation.
  let number: Int
  /// Those that are not forgotten, in the order of application. All but the last have ended.
  var memberships: [ModelMembership] = []
  /// When the last of those ended that are forgotten.
  var formerEndedAt: Int64?
  var claims = ModelByKind(delivered: ModelClaims(), read: ModelClaims())
  var cursors = ModelCursors()

  init(uid: Bytes, number: Int) {
    self.uid = uid
    self.number = number
  }

  /// The membership that lasts.
  var current: ModelMembership? {
    guard let last = memberships.last, last.end == nil else { return nil }
    return last
  }

  /// Forgets what it has said.
  func forgetClaims() {
    claims = ModelByKind(delivered: ModelClaims(), read: ModelClaims())
    cursors = ModelCursors()
  }

  /// Forgets what it has said of a thread.
  func forget(_ thread: Int64) {
    claims.delivered.upTo[thread] = nil
    claims.read.upTo[thread] = nil
    cursors.forget(thread)
  }

  /// When a message was covered by what was said before it came.
  func coveredAt(_ kind: ModelReceiptRecord.Kind, _ message: ModelMessage) -> Int64? {
    let claims = claims[kind]
    if let ids = claims.upTo[message.list], ids.value >= message.id { return ids.at }
    if let times = claims.sentUpTo, times.value >= message.sentAt { return times.at }
    return nil
  }
}

/// One time of a uid in the group.
final class ModelMembership {
  let member: ModelMember
  let begin: Int64
  let isExempt: Bool
  var scope: ModelScope
  /// The id of the record that ended it.
  var end: Int64?
  /// Stream time when it was ended.
  var endedAt: Int64?

  init(
    of member: ModelMember, begin: Int64, isExempt: Bool = false, scope: ModelScope = .participant
  ) {
    self.member = member
    self.begin = begin
    self.isExempt = isExempt
    self.scope = scope
  }

  /// Whether it had begun and not ended at the place of an id.
  func holds(at id: Int64) -> Bool { begin < id && end.map { $0 >= id } ?? true }
}

/// The highest that was claimed, and by the receipt of which time; of equal ones the first.
struct ModelClaim {
  var value: Int64
  var at: Int64

  static func higher(_ old: ModelClaim?, _ new: ModelClaim) -> ModelClaim {
    if let old, old.value >= new.value { old } else { new }
  }
}

/// What the cumulative receipts of one kind say together.
struct ModelClaims {
  /// Covers, of each list, this id and every earlier one.
  var upTo = ModelByList<ModelClaim>()
  /// Covers what was sent up to this time, in every list.
  var sentUpTo: ModelClaim?
}

/// Something for each of the two kinds that a message is waited for.
struct ModelByKind<Value> {
  var delivered: Value
  var read: Value

  subscript(kind: ModelReceiptRecord.Kind) -> Value {
    get { kind == .delivered ? delivered : read }
    set { if kind == .delivered { delivered = newValue } else { read = newValue } }
  }
}

extension ModelByKind: Sendable where Value: Sendable {}
extension ModelByKind: Equatable where Value: Equatable {}

/// Something for a list: the main one, which is 0, or a thread.
struct ModelByList<Value> {
  private var main: Value?
  private(set) var threads: [Int64: Value] = [:]

  subscript(list: Int64) -> Value? {
    get { list == 0 ? main : threads[list] }
    set { if list == 0 { main = newValue } else { threads[list] = newValue } }
  }

  /// The lists that have one.
  var lists: [Int64] { (main == nil ? [] : [0]) + threads.keys }
}
