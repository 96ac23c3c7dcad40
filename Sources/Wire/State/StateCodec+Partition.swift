import Core

/// The value of the partition's record.
///
/// Version 1 (of Rollcall 0.1.0) ends with the stream time. Version 2 goes on with what a takeover
/// checks; what it does not know it leaves out, as a flag says.
extension StateCodec {
  /// The version of the partition's record that this program writes.
  package static let partitionVersion: UInt8 = 2

  /// Walks over what stands behind the version.
  static func walk<Walk: FieldWalk>(
    _ record: inout PartitionRecord, version: UInt8, _ walk: inout Walk
  ) throws(Walk.Failure) {
    try walk.zigzag(&record.version)
    try walk.text(&record.writer)
    for input in InputTopic.allCases { try walk.zigzag(&record.nextOffsets[input]) }
    record.threads = try walk.flags([record.threads == .separate])[0] ? .separate : .inline
    try walk.int32(&record.partitionCount)
    try walk.zigzag(&record.nextTicket)
    try walk.instant(&record.streamTime)
    guard version >= 2 else { return }
    let has = try walk.flags([
      record.group != nil, record.rules != nil, record.clockDistance != nil, record.tally != nil,
      record.isClaim,
    ])
    record.isClaim = has[4]
    if has[0] {
      var group = record.group ?? ""
      try walk.text(&group)
      record.group = group
    }
    if has[1] {
      var rules = record.rules ?? Rules()
      rules.threads = record.threads
      try self.walk(&rules, &walk)
      record.rules = rules
      try walk.zigzag(&record.rulesSince)
    }
    var base: Int64 = 0
    if has[2] { try walk.number(&record.clockDistance, since: &base) }
    for input in InputTopic.allCases { try self.walk(&record.lastApplied[input], &walk) }
    try walk.zigzag(&record.sequenceBase)
    for input in InputTopic.allCases { try walk.zigzag(&record.lostRecords[input]) }
    for input in InputTopic.allCases { try walk.zigzag(&record.gaps[input]) }
    if has[3] {
      var (counts, keySum) = ((record.tally ?? StateTally()).counts, record.tally?.keySum ?? 0)
      for index in counts.indices { try walk.zigzag(&counts[index]) }
      try walk.fixed(&keySum)
      record.tally = StateTally(counts: counts, keySum: keySum)
    }
  }

  /// All rules but `threads`, which version 1 has.
  private static func walk<Walk: FieldWalk>(
    _ rules: inout Rules, _ walk: inout Walk
  ) throws(Walk.Failure) {
    try walk.choice(&rules.leavers)
    try walk.choice(&rules.receiptEvents)
    try walk.choice(&rules.unreadEvents)
    try walk.bool(&rules.enhancedMessagingStatus)
    try walk.int(&rules.maxGroupMembers)
    try walk.zigzag(&rules.trackingWindow)
    try walk.zigzag(&rules.grace)
    try walk.int(&rules.maxWaitingPerConversation)
    try walk.int(&rules.maxWaitingPerPartition)
    try walk.int(&rules.maxRecordBytes)
  }

  private static func walk<Walk: FieldWalk>(
    _ applied: inout AppliedRecord?, _ walk: inout Walk
  ) throws(Walk.Failure) {
    guard try walk.flags([applied != nil])[0] else { return }
    var known = applied ?? AppliedRecord(offset: 0, timestamp: nil)
    try walk.zigzag(&known.offset)
    try walk.instant(&known.timestamp)
    applied = known
  }
}

extension PartitionRecord {
  /// Reads a record of the changelog; nil where it is a piece of state.
  package init?(key: Span<UInt8>?, value: Span<UInt8>?) throws(StateError) {
    guard let key, let value, StateCodec.isPartition(key: key) else { return nil }
    let entry = try StateCodec.decode(key: Array(copying: key), value: Array(copying: value))
    guard case .partition(let record) = entry else { return nil }
    self = record
  }
}
