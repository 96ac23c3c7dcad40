import Core

/// The values of the changelog: for each piece the fields in the order of their bytes, walked over
/// in reading and in writing. In reading, the piece is blank before but for what its key says.
extension StateCodec {
  static func write(_ change: Change, to writer: inout StateWriter) {
    switch change {
    case .conversation(var state): walk(&state, &writer)
    case .member(var state): walk(&state, &writer)
    case .message(var state): walk(&state, &writer)
    case .marks(var state): walk(&state, &writer)
    case .thread(var state): walk(&state, &writer)
    case .position(var state): walk(&state, &writer)
    case .deletion(var state): walk(&state, &writer)
    case .waiting(var state): walk(&state, &writer)
    case .removed: break
    }
  }

  static func read(_ key: ChangeKey, _ reader: inout StateReader) throws(StateError) -> Change {
    let blank = Change(blank: key)
    switch blank {
    case .conversation(var state):
      try walk(&state, &reader)
      return .conversation(state)
    case .member(var state):
      try walk(&state, &reader)
      return .member(state)
    case .message(var state):
      try walk(&state, &reader)
      return .message(state)
    case .marks(var state):
      try walk(&state, &reader)
      return .marks(state)
    case .thread(var state):
      try walk(&state, &reader)
      return .thread(state)
    case .position(var state):
      try walk(&state, &reader)
      return .position(state)
    case .deletion(var state):
      try walk(&state, &reader)
      return .deletion(state)
    case .waiting(var state):
      try walk(&state, &reader)
      return .waiting(state)
    case .removed: return blank
    }
  }

  private static func walk<Walk: FieldWalk>(
    _ state: inout ConversationState, _ walk: inout Walk
  ) throws(Walk.Failure) {
    try walk.choice(&state.roster)
    let has = try walk.flags([
      state.firstRosterId != nil, state.largeFloor != nil, state.highestExpiredId != 0,
      state.lastRecordAt != nil,
    ])
    var bases = StateBases()
    if has[0] { try walk.number(&state.firstRosterId, since: &bases.id) }
    if has[1] { try walk.number(&state.largeFloor, since: &bases.id) }
    if has[2] { try walk.number(&state.highestExpiredId, since: &bases.id) }
    if has[3] { try walk.instant(&state.lastRecordAt, since: &bases.time) }
  }

  private static func walk<Walk: FieldWalk>(
    _ state: inout MemberState, _ walk: inout Walk
  ) throws(Walk.Failure) {
    try walk.choice(&state.scope)
    try walk.counted(&state.uid)
    var bases = StateBases()
    try walk.list(&state.periods, of: Period.blank) { walk, period throws(Walk.Failure) in
      let has = try walk.flags([
        period.isExempt, period.endId != nil, period.endSequence != nil, period.endedAt != nil,
      ])
      period.isExempt = has[0]
      try walk.number(&period.beginId, since: &bases.id)
      try walk.number(&period.beginSequence, since: &bases.sequence)
      if has[1] { try walk.number(&period.endId, since: &bases.id) }
      if has[2] { try walk.number(&period.endSequence, since: &bases.sequence) }
      if has[3] { try walk.instant(&period.endedAt, since: &bases.time) }
    }
    try self.walk(&state.progress, &bases, &walk)
  }

  private static func walk<Walk: FieldWalk>(
    _ progress: inout Progress, _ bases: inout StateBases, _ walk: inout Walk
  ) throws(Walk.Failure) {
    try self.walk(&progress.delivered, &bases, &walk)
    try self.walk(&progress.read, &bases, &walk)
    try self.walk(&progress.cursor, &bases, &walk)
  }

  private static func walk<Walk: FieldWalk>(
    _ marks: inout Watermarks, _ bases: inout StateBases, _ walk: inout Walk
  ) throws(Walk.Failure) {
    let has = try walk.flags([
      marks.upTo != 0, marks.upToAt != .distantPast, marks.sentUpTo != .distantPast,
      marks.sentUpToAt != .distantPast,
    ])
    if has[0] { try walk.number(&marks.upTo, since: &bases.id) }
    if has[1] { try walk.instant(&marks.upToAt, since: &bases.time) }
    if has[2] { try walk.instant(&marks.sentUpTo, since: &bases.time) }
    if has[3] { try walk.instant(&marks.sentUpToAt, since: &bases.time) }
  }

  private static func walk<Walk: FieldWalk>(
    _ cursor: inout Cursor, _ bases: inout StateBases, _ walk: inout Walk
  ) throws(Walk.Failure) {
    let has = try walk.flags([
      cursor.position != 0, cursor.lastReadId != 0, cursor.newestRead != .distantPast,
      cursor.newestUnread != .distantPast, cursor.newestConversationRead != .distantPast,
    ])
    if has[0] { try walk.number(&cursor.position, since: &bases.id) }
    if has[1] { try walk.number(&cursor.lastReadId, since: &bases.id) }
    if has[2] { try walk.instant(&cursor.newestRead, since: &bases.time) }
    if has[3] { try walk.instant(&cursor.newestUnread, since: &bases.time) }
    if has[4] { try walk.instant(&cursor.newestConversationRead, since: &bases.time) }
  }

  private static func walk<Walk: FieldWalk>(
    _ state: inout MessageState, _ walk: inout Walk
  ) throws(Walk.Failure) {
    var sender: Int32 = 0
    var uid: [UInt8]?
    var parent: Int64 = 0
    var tracking = Tracking.on
    var announced = Announced()
    var counts: Counts?
    var isMessage = false
    if case .message(let slot, let muid, let parentId, let kind, let times, let final) = state.body
    {
      (sender, uid, parent, tracking) = (slot, muid, parentId, kind)
      (announced, counts, isMessage) = (times, final, true)
    }
    let has = try walk.flags([
      isMessage, uid != nil, parent != 0, announced.deliveredAt != nil, announced.readAt != nil,
      counts != nil,
    ])
    var time: Int64 = 0
    try walk.zigzag(&state.sequence)
    try walk.instant(&state.appliedAt, since: &time)
    try walk.instant(&state.sentAt, since: &time)
    guard has[0] else {
      return try walk.require(!has[1] && !has[2] && !has[3] && !has[4] && !has[5])
    }
    try walk.choice(&tracking)
    try walk.int32(&sender)
    if has[1] {
      var known = uid ?? []
      try walk.counted(&known)
      uid = known
    }
    var base = state.id
    if has[2] { try walk.number(&parent, since: &base) }
    if has[3] { try walk.instant(&announced.deliveredAt, since: &time) }
    if has[4] { try walk.instant(&announced.readAt, since: &time) }
    if has[5] {
      var known = counts ?? Counts()
      try walk.int32(&known.delivered)
      try walk.int32(&known.pendingDelivered)
      try walk.int32(&known.read)
      try walk.int32(&known.pendingRead)
      counts = known
    }
    state.body = .message(
      senderSlot: sender, messageUId: uid, parentMessageId: parent,
      tracking: tracking, announced: announced, finalCounts: counts)
  }

  private static func walk<Walk: FieldWalk>(
    _ state: inout MarksState, _ walk: inout Walk
  ) throws(Walk.Failure) {
    try walk.list(&state.delivered, of: 0) { walk, word throws(Walk.Failure) in
      try walk.varint(&word)
    }
    try walk.list(&state.read, of: 0) { walk, word throws(Walk.Failure) in
      try walk.varint(&word)
    }
  }

  private static func walk<Walk: FieldWalk>(
    _ state: inout ThreadState, _ walk: inout Walk
  ) throws(Walk.Failure) { try walk.zigzag(&state.replyCount) }

  private static func walk<Walk: FieldWalk>(
    _ state: inout PositionState, _ walk: inout Walk
  ) throws(Walk.Failure) {
    var bases = StateBases(id: state.parentMessageId)
    try self.walk(&state.progress, &bases, &walk)
  }

  private static func walk<Walk: FieldWalk>(
    _ state: inout DeletionState, _ walk: inout Walk
  ) throws(Walk.Failure) {
    try walk.counted(&state.deletedBy)
    try walk.zigzag(&state.deletedAt.milliseconds)
    try walk.instant(&state.acceptedAt)
  }

  private static func walk<Walk: FieldWalk>(
    _ state: inout WaitingState, _ walk: inout Walk
  ) throws(Walk.Failure) {
    try walk.choice(&state.source.topic)
    try walk.int32(&state.source.partition)
    try walk.zigzag(&state.source.offset)
    try walk.instant(&state.source.timestamp)
    try walk.counted(&state.key)
    try walk.counted(&state.value)
    try walk.zigzag(&state.appliedAt.milliseconds)
    try walk.zigzag(&state.eventsSoFar)
    try walk.bool(&state.waitsForMember)
    var position: Int64 = 0
    try walk.list(&state.missing, of: 0) { walk, missing throws(Walk.Failure) in
      try walk.int32(&missing, since: &position)
    }
  }
}
