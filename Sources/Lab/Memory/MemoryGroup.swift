import Core
import Worker

/// A consumer group in memory: everybody gives everything up, then all is shared out anew.
struct MemoryGroup {
  /// What a member knows of the group.
  struct Member {
    var name: String
    /// What it holds; nil between two assignments.
    var partitions: [Int32]?
    /// The generation of what it holds; a commit with an older one is refused.
    var generation: Int
    /// It has been told to give everything up and has not answered yet.
    var isRevoking = false
    /// When it was last heard of.
    var heardAt: Instant
  }

  private(set) var members: [Member] = []
  private(set) var generation = 0
  /// A member has come or gone since the last assignment.
  private var isRebalancing = false
  /// Members that were thrown out with the call to give everything up before them.
  private var deaf: Set<String> = []
  /// The positions that the group has committed, by partition.
  var committed: [Int32: CommittedPosition] = [:]
  /// The positions in open transactions.
  var pending: [Int: [CommittedPosition]] = [:]

  /// Whether a transaction that is still open will move this partition.
  func isUnstable(_ partition: Int32) -> Bool {
    pending.values.joined().contains { $0.partition == partition }
  }

  /// Takes positions over; what is absent stays as it was.
  mutating func commit(_ position: CommittedPosition) {
    var position = position
    for input in InputTopic.allCases where position.offsets[input] == nil {
      position.offsets[input] = committed[position.partition]?.offsets[input]
    }
    committed[position.partition] = position
  }

  /// Whether a member may commit.
  func isCurrent(_ name: String) -> Bool {
    members.contains { $0.name == name && $0.partitions != nil && $0.generation == generation }
  }

  mutating func join(_ name: String, _ now: Instant) {
    members.append(Member(name: name, partitions: nil, generation: -1, heardAt: now))
    isRebalancing = true
  }

  mutating func hear(_ name: String, _ now: Instant) {
    for index in members.indices where members[index].name == name { members[index].heardAt = now }
  }

  /// Throws out who has been silent for so long.
  mutating func expire(silentFor limit: Int64, _ now: Instant) {
    for member in members where now.millisecondsSince(member.heardAt) >= limit {
      expire(member.name)
    }
  }

  /// Whether somebody was thrown out without having been called before.
  mutating func forget(_ name: String) -> Bool { deaf.remove(name) == nil }

  mutating func leave(_ name: String) { expire(name) }

  mutating func expire(_ name: String) {
    guard let member = members.first(where: { $0.name == name }) else { return }
    if isRebalancing, member.partitions != nil, !member.isRevoking { deaf.insert(name) }
    members.removeAll { $0.name == name }
    isRebalancing = true
  }

  /// What a member is told when it asks.
  mutating func news(for name: String, partitionCount: Int32) -> GroupNews? {
    guard let index = members.firstIndex(where: { $0.name == name }) else { return nil }
    if isRebalancing, members[index].partitions != nil, !members[index].isRevoking {
      members[index].isRevoking = true
      return .revoked(lost: false)
    }
    shareOut(partitionCount)
    guard members[index].generation != generation || members[index].partitions == nil,
      let partitions = assignment(of: index, partitionCount)
    else { return nil }
    members[index].partitions = partitions
    members[index].generation = generation
    return .assigned(partitions)
  }

  /// A member has given everything up.
  mutating func answer(_ name: String) {
    guard let index = members.firstIndex(where: { $0.name == name }), members[index].isRevoking
    else { return }
    members[index].isRevoking = false
    members[index].partitions = nil
  }

  /// Begins a new generation once nobody holds anything.
  private mutating func shareOut(_ partitionCount: Int32) {
    guard isRebalancing, members.allSatisfy({ $0.partitions == nil }) else { return }
    isRebalancing = false
    generation += 1
  }

  /// A member's share of the current generation: ranges, in the order of the names.
  private func assignment(of index: Int, _ partitionCount: Int32) -> [Int32]? {
    guard !isRebalancing else { return nil }
    let names = members.map(\.name).sorted()
    guard let place = names.firstIndex(of: members[index].name) else { return nil }
    let count = Int(partitionCount)
    let low = place * count / names.count
    let high = (place + 1) * count / names.count
    return (low..<high).map { Int32($0) }
  }
}
