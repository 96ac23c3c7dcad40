/// Decides what workers did wrong, from a partition's inputs and outputs alone: it applies the
/// inputs to the model, notes what must come of them, and holds the outputs against that.
///
/// All inputs come first, then one `tick`, then all outputs. What the order between the topics may
/// decide is no fault unless that order is known; whatever differs for it is counted.
package struct Oracle {
  let partition: Int32
  let order: OracleOrder
  let topicNames: [OracleRecord.Topic: String]
  /// No worker's clock was ever further, in milliseconds.
  private let latestClock: Int64?
  /// What may have fallen due earlier than the model knows.
  var ahead = OracleAhead()
  /// What may have waited for longer, or less long, than the model knows.
  private(set) var disorder = OracleDisorder()
  /// When records were applied at the latest.
  var clocks = OracleClocks()
  /// What only an end of which all outputs tell explains.
  var deferred: [OracleDeferred] = []
  /// All outputs have come.
  private(set) var isFinishing = false
  let share: OracleShare
  var model: Model
  var verdict = OracleVerdict()
  var conversations: [OracleConversation] = []
  /// Their places, by their ids.
  var places: [Bytes: Int] = [:]
  /// What must come of the receipts and deletes and of replies, by the digest of its `eventId`.
  var events: [OracleDigest: OracleEvent] = [:]
  /// The other `eventId`s that have come.
  var otherEvents: Set<OracleDigest> = []
  /// The announcements as the model makes them, with the event of the last receipt that completes
  /// something together with it.
  var announcements: [OracleDigest: OracleDigest?] = [:]
  /// How often each action is still to come.
  var actions: [OracleDigest: OracleAction] = [:]
  /// How many more deleted messages came as events than as actions, where a scope decides.
  var scopedDeletes: [OracleDigest: Int] = [:]
  var rejections: [OracleSource: OracleRejection] = [:]
  /// The good records of receipts and deletes, by offset.
  var receipts: [Int64: OracleReceipt] = [:]
  var deletes: [Int64: OracleDelete] = [:]
  /// The records without a timestamp that matter.
  var timeless: Set<OracleSource> = []
  /// What waits in the end. A worker moves stream time on by records at most to its own clock, so
  /// that for it this may have waited for longer than the timestamps tell.
  var stillWaiting: Set<OracleSource> = []
  /// The actions that may come of it.
  var waitingActions: Set<OracleDigest> = []
  /// Whether the model has said all of what has come.
  private var hasAsked = false
  private var lastOffsets: [OracleRecord.Topic: Int64] = [:]

  /// An oracle for one partition, or for a share of its conversations.
  ///
  /// - Parameters:
  ///   - options: the workers' rules, by the names of the contract.
  ///   - share: which share of the conversations is looked at, from 0.
  ///   - order: what is known of the order in which the inputs were applied.
  ///   - topicNames: the names of input topics that are not the contract's.
  ///   - latestClock: a time in milliseconds that no worker's clock had passed: timestamps beyond
  ///     it have moved stream time on to some time before it, nobody knows which.
  /// - Throws: `badOption`.
  package init(
    options: [String: String], partition: Int32, share: Int = 0, of shares: Int = 1,
    order: OracleOrder = .any, topicNames: [OracleRecord.Topic: String] = [:],
    latestClock: Int64? = nil
  ) throws(OracleError) {
    self.partition = partition
    self.order = order
    self.topicNames = topicNames
    self.latestClock = latestClock
    let share = OracleShare(number: share, of: shares)
    self.share = share
    do {
      model = try Model(options) { share.holds($0) }
      model.isPatient = order == .any
    } catch {
      throw .badOption((error as? ModelRules.Unknown)?.option ?? "\(error)")
    }
  }

  /// Applies the partition's next input record; all of them merged by timestamp.
  ///
  /// - Parameter clock: the worker's clock when it applied the record, where that is known.
  package mutating func apply(_ input: OracleRecord, clock: Int64? = nil) {
    guard let input = ModelInput(input) else { return }
    hasAsked = false
    disorder.note(input, latestClock: latestClock)
    let clock = clock == nil ? limit(of: input) : clock
    guard share.holds(input.conversationKey) else {
      return expect(model.apply(input, clock: clock))
    }
    verdict.count(.inputs)
    let record = model.decoder.record(input)
    note(record)
    expect(model.apply(record, clock: clock))
    noteApplied(record)
    if case .membership(let membership) = record.content { noteSize(of: membership.conversation) }
  }

  /// Takes note of an input record that an operator had skipped, in its place among the others.
  package mutating func skip(_ input: OracleRecord, clock: Int64? = nil) {
    guard let record = ModelInput(input) else { return }
    disorder.note(record, latestClock: latestClock)
    if share.holds(record.conversationKey) {
      verdict.count(.inputs)
      noteTimeless(record)
    }
    hasAsked = false
    expect(model.skip(record, clock: clock == nil ? limit(of: record) : clock))
  }

  /// Does what is due at a stream time, in milliseconds.
  package mutating func tick(to streamTime: Int64) {
    expect(model.tick(to: streamTime))
    settleAhead(at: model.now)
    askForRest()
  }

  /// How far a record may move stream time, as far as can be told. One that is ahead of every clock
  /// may have moved it to any time up to the last one; the model leaves it where it is, and notes
  /// what may have fallen due. The same is true of one without a timestamp that comes first of all.
  private mutating func limit(of input: ModelInput) -> Int64? {
    guard let latestClock else { return .max }
    if let timestamp = input.timestamp {
      guard timestamp > latestClock else { return .max }
    } else if model.streamTime != nil || order != .any {
      return .max
    }
    noteAhead(input, upTo: latestClock)
    return nil
  }

  /// Has the model say what it has not yet said.
  private mutating func askForRest() {
    hasAsked = true
    var messages: [ModelOutcome] = []
    var threads: [ModelThreadOutcome] = []
    model.forEachRemaining {
      messages.append($0)
    } thread: {
      threads.append($0)
    }
    messages.forEach { note($0) }
    threads.forEach { note($0) }
    if order == .any { noteWaiting() }
  }

  private mutating func noteWaiting() {
    stillWaiting.removeAll()
    waitingActions.removeAll()
    for place in conversations.indices { conversations[place].waitingOriginals.removeAll() }
    for waiter in model.waiting.all {
      stillWaiting.insert(OracleSource(waiter.source.input))
      guard case .delete(let delete) = waiter.record, delete.original != nil else { continue }
      let deleted = ModelDeleted(
        record: delete, at: delete.at ?? waiter.source.timestamp, message: nil)
      waitingActions.insert(digest(of: deleted))
      guard let place = places[waiter.conversation.name.id] else { continue }
      conversations[place].waitingOriginals.insert(delete.messageId)
    }
  }

  /// Looks at the partition's next output record, each topic in the order of offsets.
  package mutating func check(_ output: OracleRecord) {
    guard share.holds(output.conversationKey) else { return }
    if !hasAsked { askForRest() }
    verdict.count(.outputs)
    if output.partition != partition {
      find(.wrong, "\(output.place) is of another partition")
    }
    if let last = lastOffsets[output.topic], last >= output.offset {
      find(.disordered, "\(output.place) comes after offset \(last)")
    }
    lastOffsets[output.topic] = output.offset
    switch output.topic {
    case .events: checkEvent(output)
    case .actions: checkAction(output)
    case .status: checkStatus(output)
    case .rejected: checkRejection(output)
    case .messages, .receipts, .deletes:
      find(.wrong, "\(output.place) is no output")
    }
  }

  /// Says what was found.
  package consuming func finish() -> OracleVerdict {
    if !hasAsked { askForRest() }
    isFinishing = true
    clocks.settle()
    checkWhatIsMissing()
    judgeDeferred()
    return verdict
  }
}

/// Some of the conversations, by their ids.
struct OracleShare: Sendable {
  var number: Int
  var of: Int

  init(number: Int, of shares: Int) {
    precondition(shares > 0 && (0..<shares).contains(number))
    self.number = number
    of = shares
  }

  func holds(_ conversation: some Sequence<UInt8>) -> Bool {
    of == 1 || OracleDigest(conversation).short % UInt64(of) == UInt64(number)
  }
}

extension OracleRecord {
  /// The topic and offset, in words.
  var place: String { "\(topic.rawValue)@\(offset)" }

  /// The key without the message id that a status has in it.
  fileprivate var conversationKey: ArraySlice<UInt8> {
    let key = (key ?? [])[...]
    guard topic == .status, let end = key.lastIndex(of: UInt8(ascii: "#")) else { return key }
    return key[..<end]
  }
}

extension ModelInput {
  /// The key, as a rejection has it, too.
  fileprivate var conversationKey: [UInt8] { hasOverlongKey ? [] : key ?? [] }

  /// Nil for a record of an output topic.
  init?(_ record: OracleRecord) {
    guard let topic = ModelRecord.Topic(rawValue: record.topic.rawValue) else { return nil }
    self.init(
      topic: topic, partition: record.partition, offset: record.offset,
      timestamp: record.timestamp, key: record.key, value: record.value)
  }
}
