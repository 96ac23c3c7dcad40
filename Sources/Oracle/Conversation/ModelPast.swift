/// Who was in a group when a message was applied, found again by what was applied before it.
struct ModelPast {
  /// A membership, and the offsets of the records that began and ended it.
  private struct Period {
    var membership: ModelMembership
    var offsets: (begin: Int64, end: Int64?)
  }

  /// Messages with the same of each have seen the same.
  private struct Place: Hashable {
    var offsets: Int
    var ids: Int
    var forgotten: Int
  }

  private let window: Int64
  private var periods: [Period] = []
  /// The offsets and ids of the records that began or ended something, and when ends are
  /// forgotten; sorted when the first message asks.
  private var offsets: [Int64] = []
  private var ids: [Int64] = []
  private var forgotten: [Int64] = []
  private var isSorted = false
  private var presences: [Place: ModelPresence] = [:]

  init(window: Int64) { self.window = window }

  mutating func add(_ membership: ModelMembership, _ period: OracleStart.Period) {
    periods.append(Period(membership: membership, offsets: period.offsets))
    offsets += [period.offsets.begin] + (period.offsets.end.map { [$0] } ?? [])
    ids += [period.ids.begin] + (period.ids.end.map { [$0] } ?? [])
    if let at = period.endedAt { forgotten.append(Self.sum(at, window)) }
  }

  /// The offset of the record that ended a membership.
  func endOffset(of membership: ModelMembership) -> Int64 {
    periods.last { $0.membership === membership }?.offsets.end ?? 0
  }

  /// Who was there for a message.
  mutating func presence(at message: OracleStart.Message, of members: Int) -> ModelPresence {
    if !isSorted {
      offsets.sort()
      ids.sort()
      forgotten.sort()
      isSorted = true
    }
    let place = Place(
      offsets: offsets.firstIndex(behindAll: { $0 < message.offset }),
      ids: ids.firstIndex(behindAll: { $0 < message.id }),
      forgotten: forgotten.firstIndex(behindAll: { $0 <= message.appliedAt }))
    if let presence = presences[place] { return presence }
    let present = periods.filter { holds($0, at: message) }.map(\.membership)
    let presence = ModelPresence(present, of: members)
    presences[place] = presence
    return presence
  }

  private func holds(_ period: Period, at message: OracleStart.Message) -> Bool {
    let membership = period.membership
    guard membership.begin < message.id, period.offsets.begin < message.offset else { return false }
    guard let end = membership.end, let endedAt = membership.endedAt,
      let offset = period.offsets.end, offset < message.offset
    else { return true }
    return end >= message.id && Self.sum(endedAt, window) > message.appliedAt
  }

  private static func sum(_ time: Int64, _ other: Int64) -> Int64 {
    let (sum, overflow) = time.addingReportingOverflow(other)
    return overflow ? .max : sum
  }
}
