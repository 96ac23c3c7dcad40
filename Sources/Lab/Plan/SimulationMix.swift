import Core

/// The rules and the traffic of a seed: a little of what there is, all of it over some seeds.
enum SimulationMix {
  /// Longer than a seed's own time, so that nothing expires before all is written.
  static let longWindow: Int64 = 7 * 24 * 60 * 60 * 1000
  private static let longGrace: Int64 = 60 * 60 * 1000

  /// Draws the rules that all workers of a seed have.
  static func rules(using random: inout SplitMix64) -> Rules {
    var rules = Rules()
    rules.maxRecordBytes = SimulationOddities.maxRecordBytes
    rules.threads = Bool.random(using: &random) ? .inline : .separate
    rules.receiptEvents = Rules.ReceiptEvents.allCases.randomElement(using: &random) ?? .all
    rules.unreadEvents = Rules.UnreadEvents.allCases.randomElement(using: &random) ?? .all
    rules.leavers = one(in: 4, &random) ? .hold : .release
    rules.enhancedMessagingStatus = !one(in: 12, &random)
    rules.maxGroupMembers = Int.random(in: 3...16, using: &random)
    if one(in: 6, &random) {
      rules.maxWaitingPerConversation = Int.random(in: 1...12, using: &random)
      rules.maxWaitingPerPartition = Int.random(in: 4...24, using: &random)
    }
    if one(in: 3, &random) {
      // Short enough that much of it passes while records come.
      rules.grace = Int64.random(in: 200...10_000, using: &random)
      rules.trackingWindow = Int64.random(in: 1000...40_000, using: &random)
    } else {
      rules.grace = longGrace
      rules.trackingWindow = longWindow
    }
    return rules
  }

  /// Draws a small workload in the manner of one of the presets.
  static func options(_ rules: Rules, using random: inout SplitMix64) -> WorkloadOptions {
    let preset = WorkloadPreset.allCases.randomElement(using: &random) ?? .small
    var options = WorkloadOptions(preset)
    let cap = rules.maxGroupMembers
    options.maxGroupMembers = cap
    options.groups = Int.random(in: 1...5, using: &random)
    options.smallestGroup = preset == .campus ? cap : 2
    options.largestGroup = cap
    options.groupsBeyondCap = one(in: 3, &random) ? 1 : 0
    options.groupsWithoutRoster = one(in: 5, &random) ? 1 : 0
    options.pairs = Int.random(in: 0...2, using: &random)
    options.busy = Int.random(in: 1...4, using: &random)
    options.recordsPerSecond = Int.random(in: 1...200, using: &random)
    options.burst = Int.random(in: 1...(preset == .backlog ? 40 : 5), using: &random)
    options.lateRecords = Int.random(in: 5...80, using: &random)
    options.oversized = Share(percent: 0)
    // So rare in the field that a few hundred records would hardly ever have them.
    let rare: [WritableKeyPath<WorkloadOptions, Share>] = [
      \.churn, \.snapshots, \.exact, \.conversation, \.slow, \.exempt, \.unread,
      \.replies, \.silent, \.skips, \.unrequested, \.deletes, \.edits, \.duplicates, \.late,
      \.forged, \.bad,
    ]
    for share in rare where one(in: 3, &random) {
      options[keyPath: share] = Share(percent: Double.random(in: 0...30, using: &random))
    }
    if one(in: 4, &random) {
      options.crowds = Share(percent: 70)
      options.churn = Share(percent: 70)
    }
    // A message that comes again after its window is another one to the worker and to the model.
    if rules.trackingWindow < longWindow { options.duplicates = Share(percent: 0) }
    return options
  }

  private static func one(in count: Int, _ random: inout SplitMix64) -> Bool {
    Int.random(in: 0..<count, using: &random) == 0
  }
}

extension Rules {
  /// Only a few records may wait.
  var isTight: Bool { maxWaitingPerPartition < Rules().maxWaitingPerPartition }
}
