import Core

/// What is known of the eight topics while the worker runs.
struct TopicWatch {
  /// Between two looks, in milliseconds.
  private static let interval: Int64 = 60_000
  /// The same while a topic is missing or nobody has answered.
  private static let shortInterval: Int64 = 2000
  /// What is missing for less than this may be a broker that has just been started.
  private static let leastAbsence: Int64 = 1000

  /// The topics that were not there at the last look.
  private(set) var missing: [TopicCount] = []
  /// Topics that are back.
  var returned: Set<Topic> = []
  private var missingSince: Int64?
  private var toldAt: Int64?
  private var nextLookAt = Int64.min

  /// Whether it is time for a look, in milliseconds that pass evenly.
  func isDue(_ uptime: Int64) -> Bool { uptime >= nextLookAt }

  /// Nobody has answered.
  mutating func noteSilence(_ uptime: Int64) { nextLookAt = uptime + Self.shortInterval }

  /// Takes in which topics are missing.
  mutating func note(_ missing: [TopicCount], _ uptime: Int64) {
    let former = Set(self.missing.map(\.topic))
    if isAbsence(uptime) { returned.formUnion(former.subtracting(missing.map(\.topic))) }
    self.missing = missing
    missingSince = missing.isEmpty ? nil : missingSince ?? uptime
    nextLookAt = uptime + (missing.isEmpty ? Self.interval : Self.shortInterval)
  }

  /// Whether what is missing has been so for long enough to be believed.
  func isAbsence(_ uptime: Int64) -> Bool {
    missingSince.map { uptime - $0 >= Self.leastAbsence } ?? false
  }

  /// Whether what is missing is to be told now: at once, and again each minute.
  mutating func isToBeTold(_ uptime: Int64) -> Bool {
    guard isAbsence(uptime) else { return false }
    if let toldAt, uptime - toldAt < Self.interval { return false }
    toldAt = uptime
    return true
  }

  /// All are back. Returns whether somebody was told that they were not.
  mutating func settle() -> Bool {
    defer { toldAt = nil }
    return missing.isEmpty && toldAt != nil
  }
}

extension Worker {
  /// Looks at the topics once a minute. While one is missing nothing is applied.
  func watchTopics() throws(LogFailure) {
    guard let time, topics.isDue(time.uptime) else { return }
    try lookAtTopics(time)
    guard topics.isAbsence(time.uptime), !recovery.isNeeded else { return }
    recovery.require(transaction.isOpen ? .abort : .adopt)
    transaction.fail()
    unfinished = nil
  }

  /// Refuses to apply anything where the topics are not as at the start, before partitions are
  /// taken.
  func requireTopics() throws(LogFailure) {
    guard let time, !assignment.isEmpty else { return }
    try lookAtTopics(time)
    guard topics.missing.isEmpty else {
      throw LogFailure(
        .again, label: LogFailure.topicMissing,
        detail: topics.missing.map(\.name).joined(separator: ", ") + ": not there")
    }
    if let last = assignment.last, last >= configuration.partitionCount {
      throw countsChanged("the group gives out partition \(last)")
    }
    guard !topics.returned.isEmpty else { return }
    // A producer may not know yet that they are back. What is read may be another topic by now.
    try log.rebuild()
    let isRead = topics.returned.contains { $0 == .state || $0.input != nil }
    if isRead { for partition in aside + partitions { partition.isInDoubt = true } }
    topics.returned = []
  }

  /// Takes a partition anew of which a lane cannot be read on; another failure stays what it is.
  ///
  /// What was applied until then is committed, so that the other partitions just go on.
  func retake(
    _ partition: Partition<Log>, _ lane: Lane, after failure: LogFailure
  ) throws(LogFailure) {
    guard failure.disposition == .retake, let now = time?.clock else { throw failure }
    report.occurrences.append(.retaken(lane, failure))
    report.isHeldUp = true
    partition.isInDoubt = true
    try commit()
    recovery.require(.adopt)
    recovery.fail(now)
  }

  private func lookAtTopics(_ time: StepTime) throws(LogFailure) {
    let counts: [TopicCount]
    do throws(LogFailure) { counts = try log.topicCounts() } catch {
      // That nobody answers is told where something depends on it.
      return topics.noteSilence(time.uptime)
    }
    let found = counts.filter { $0.partitions != nil }
    if found.contains(where: { $0.partitions != configuration.partitionCount }) {
      let listed = found.map { "\($0.name) has \($0.partitions ?? 0)" }
      throw countsChanged(listed.joined(separator: ", "))
    }
    topics.note(counts.filter { $0.partitions == nil }, time.uptime)
    if topics.isToBeTold(time.uptime) { report.occurrences.append(.topicsMissing(topics.missing)) }
    if topics.missing.isEmpty, topics.settle() { report.occurrences.append(.topicsFound) }
  }

  private func countsChanged(_ found: String) -> LogFailure {
    let detail =
      "the topics must have the same number of partitions as at the start, "
      + "\(configuration.partitionCount): \(found); conversations may have moved, so nothing more "
      + "is applied: make the topics anew with one number of partitions (rollcall topics apply "
      + "--partitions), or begin with a new --group and new topics"
    return LogFailure(.exit, label: LogFailure.partitionCountChanged, detail: detail)
  }
}
