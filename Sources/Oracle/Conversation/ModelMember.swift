/// A uid in a conversation, with all that it has said.
final class ModelMember {
  let uid: Bytes
  /// Its number in the conversation.
  let number: Int
  /// Those that are not forgotten, in the order of application. All but the last have ended.
  var memberships: [ModelMembership] = []
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

  /// Whether it has said anything that is still known.
  var hasClaims: Bool {
    claims != ModelByKind(delivered: ModelClaims(), read: ModelClaims())
      || cursors != ModelCursors()
  }

  /// Forgets what it has said.
  func forgetClaims() {
    claims = ModelByKind(delivered: ModelClaims(), read: ModelClaims())
    cursors = ModelCursors()
  }

  /// Forgets what it has said of a thread.
  func forget(_ thread: Int64) {
    claims.delivered.forget(thread)
    claims.read.forget(thread)
    cursors.forget(thread)
  }

  /// When a message was covered by what was said before it came.
  func coveredAt(_ kind: ModelReceiptRecord.Kind, _ message: ModelMessage) -> Int64? {
    let claims = claims[kind]
    let ids = claims.upTo(message.list)
    if ids.value >= message.id { return ids.at }
    return claims.sentUpTo.value >= message.sentAt ? claims.sentUpTo.at : nil
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
  /// The stream time at which it ended.
  var endedAt: Int64?
  /// It ended so long ago that a message that comes now does not see it.
  var isUnseen = false

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
struct ModelClaim: Equatable {
  var value: Int64
  var at: Int64 = 0

  mutating func raise(to value: Int64, at time: Int64) {
    if value > self.value { self = ModelClaim(value: value, at: time) }
  }
}

/// What the cumulative receipts of one kind say together.
struct ModelClaims: Equatable {
  /// Covers what was sent up to this time, in every list.
  private(set) var sentUpTo = ModelClaim(value: .min)
  private var main = ModelClaim(value: 0)
  private var threads: [Int64: ModelClaim] = [:]

  /// Covers, of a list, this id and every earlier one.
  func upTo(_ list: Int64) -> ModelClaim {
    list == 0 ? main : threads[list] ?? ModelClaim(value: 0)
  }

  mutating func claim(_ list: Int64, upTo id: Int64, at time: Int64) {
    if list == 0 {
      main.raise(to: id, at: time)
    } else {
      threads[list, default: ModelClaim(value: 0)].raise(to: id, at: time)
    }
  }

  mutating func claim(sentUpTo sent: Int64, at time: Int64) { sentUpTo.raise(to: sent, at: time) }

  mutating func forget(_ thread: Int64) { threads[thread] = nil }
}
