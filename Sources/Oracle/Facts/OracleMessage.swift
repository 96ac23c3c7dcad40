/// A message: what must come of it, and what has.
struct OracleMessage {
  /// An announcement as the model makes it.
  struct Expected {
    var cause: ModelCause
    var time: Int64
    /// More than once only if the whole conversation was forgotten in between.
    var times = 1
  }

  /// What the model says of it when it has said all.
  struct Fate {
    var audienceSize: Int
    /// Who has delivered and read it in the end.
    var done: ModelByKind<Int>
    /// Whether all have, or would have had no delete been accepted.
    var isPossible: ModelByKind<Bool>
    /// No announcement can come before the receipt with this offset.
    var lastNeeded: ModelByKind<Int64?>
    var hasDelete: Bool
    /// Whether a scope decides which delete is accepted.
    var hasScopedDelete: Bool
    var passedSecondLimit: Bool
    var hasLeavers: Bool
    var hasExpired: Bool
    /// What is counted of it in the end.
    var counts: OracleStatus.Counts
  }

  /// Its number among the records of `chat.messages`; 0 where it never came.
  var arrival = 0
  /// Its offset.
  var offset: Int64?
  /// Who sent it and when.
  var sender: OracleDigest?
  var sentAt: Int64?
  /// What the model announces, and how often it was announced.
  var expected = ModelByKind<Expected?>(delivered: nil, read: nil)
  var announced = ModelByKind(delivered: 0, read: 0)
  /// Its delete was told.
  var isDeleted = false
  /// The last status as the model has it, and the last one found.
  var expectedStatus: OracleStatus?
  var status: OracleStatus?
  var fate: Fate?
  /// All its statuses as the model has them, where the order is known.
  var expectedStatuses: [OracleStatus] = []
  /// How many statuses were found.
  var foundStatuses = 0
  /// Whether one of them said that all have delivered or read it, and that it is deleted.
  var saysDone = ModelByKind(delivered: false, read: false)
  var saysDeleted = false
  /// The model has forgotten it.
  var isForgotten = false
  /// How often it began again in the model: nothing is counted of it then.
  var beginnings = 0
  /// How often its counts have fallen.
  var falls = 0

  /// The model has told its delete.
  var isDeletedInModel = false
  /// The model has announced it after its delete: that was forgotten before it came.
  var outlivedDelete = false

  /// It, or its delete, was forgotten, and it came again.
  var isReborn: Bool {
    outlivedDelete || expected.delivered?.times ?? 0 > 1 || expected.read?.times ?? 0 > 1
  }

  /// It never came: all that is known of it is a delete that brought it.
  var hasNeverCome: Bool { fate == nil }
}

extension OracleMessage.Fate {
  init(_ outcome: ModelOutcome) {
    let facts = outcome.facts
    audienceSize = outcome.audienceSize
    done = outcome.status.counts.done
    isPossible = ModelByKind(
      delivered: facts.delivered.isPossible, read: facts.read.isPossible)
    lastNeeded = ModelByKind(
      delivered: facts.delivered.lastNeededReceipt, read: facts.read.lastNeededReceipt)
    hasDelete = outcome.hasDelete
    hasScopedDelete = outcome.deletes.contains(where: \.dependsOnOrder)
    passedSecondLimit = outcome.passedSecondLimit
    hasLeavers = outcome.leaverInAudience
    hasExpired = outcome.hasExpired
    counts = OracleStatus(outcome.status).counts
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
