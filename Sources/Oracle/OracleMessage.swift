/// A message: what must come of it, and what has.
struct OracleMessage {
  /// An announcement as the model makes it.
  struct Expected {
    var cause: String
    var time: Int64
  }

  /// Who sent it and when; nil where only outputs speak of it.
  var sender: OracleDigest?
  var sentAt: Int64?
  /// What the model announces, and what was announced.
  var expected = OracleBoth<Expected?>(nil)
  var announced = OracleBoth(false)
  /// Its delete was told.
  var isDeleted = false
  /// The last status as the model has it, and the last one found.
  var expectedStatus: OracleStatus?
  var status: OracleStatus?
  /// One of its statuses had counts that cannot be.
  var hasBadCounts = false
}

/// Something of both kinds of announcements.
struct OracleBoth<Value> {
  private var delivered: Value
  private var read: Value

  init(_ value: Value) {
    delivered = value
    read = value
  }

  subscript(kind: OracleAnnouncement.Kind) -> Value {
    get { kind == .delivered ? delivered : read }
    set { if kind == .delivered { delivered = newValue } else { read = newValue } }
  }
}

/// The replies to one parent.
struct OracleThread {
  /// What the last `threadUpdated` must say, and says.
  var expected: Int64?
  var found: Int64?
  /// Whether the order of deletes may decide about a reply.
  var isExcepted = false
}
