/// What a workload is made of, in the words of whoever operates a chat service.
package struct WorkloadOptions: Equatable, Sendable {
  /// The groups that are small enough to be tracked.
  package var groups = 40
  /// Members of the smallest group.
  package var smallestGroup = 2
  /// Members of the largest of these groups. Sizes between are drawn Zipf-like: each twice as large
  /// is half as frequent.
  package var largestGroup = 3000
  /// Groups besides that have more members than are tracked.
  package var groupsBeyondCap = 0
  /// Groups besides of which no roster ever tells who is in.
  package var groupsWithoutRoster = 0
  /// Conversations of two besides.
  package var pairs = 10
  /// Conversations in which somebody writes or reads at the same time; the others are quiet until
  /// one of these is done with its burst.
  package var busy = 200
  /// What the workers take for the largest group that is tracked.
  package var maxGroupMembers = 3000

  /// Conversations whose names need escaping in JSON.
  package var oddNames = Share(percent: 2)
  /// Conversations whose clients tell time in whole seconds; the others tell milliseconds.
  package var wholeSeconds = Share(percent: 20)
  /// Records made in a second of the workload's own time.
  package var recordsPerSecond = 1000
  /// The most messages that a conversation gets before its members read.
  package var burst = 4
  /// The most bytes of a message's text.
  package var textBytes = 60

  /// Bursts before which somebody comes, goes or is given another scope.
  package var churn = Share(percent: 30)
  /// Those of these changes that are a roster of the whole group.
  package var snapshots = Share(percent: 3)
  /// Groups into which a crowd comes now and then, past the cap or past twice the cap; the next
  /// change of such a group is a roster without it.
  package var crowds = Share(percent: 0)

  /// Turns of a member in which a device says what it received, besides what it read.
  package var delivered = Share(percent: 60)
  /// Turns that a member lets pass; the next one catches up.
  package var skips = Share(percent: 10)
  /// Members whose devices name exactly the messages that they received and read.
  package var exact = Share(percent: 15)
  /// Receipts of the others that mark the whole conversation.
  package var conversation = Share(percent: 5)
  /// Members whose devices are one turn behind.
  package var slow = Share(percent: 3)
  /// Members who never read.
  package var silent = Share(percent: 1)
  /// Members for whom nobody waits.
  package var exempt = Share(percent: 2)
  /// Turns in which a member marks something unread, after reading it.
  package var unread = Share(percent: 1)

  /// Messages that are replies.
  package var replies = Share(percent: 15)
  /// Messages for which nobody wants to know.
  package var unrequested = Share(percent: 3)
  /// Messages that are deleted later.
  package var deletes = Share(percent: 2)
  /// Messages that are edited later.
  package var edits = Share(percent: 2)

  /// Records that are written again.
  package var duplicates = Share(percent: 1)
  /// Records that are written late, so that others, such as a message's receipts, come before.
  package var late = Share(percent: 1)
  /// By how many records at most.
  package var lateRecords = 50
  /// Records besides that name a message or a member that never comes.
  package var forged = Share(percent: 0.1)
  /// Records besides that are not of the contract's form, or break one of its rules.
  package var bad = Share(percent: 0.1)
  /// Records besides whose value is too large.
  package var oversized = Share(percent: 0)

  /// The options of a preset.
  package init(_ preset: WorkloadPreset = .small) {
    switch preset {
    case .small: break
    case .chat: makeChat()
    case .campus: makeCampus()
    case .backlog: makeBacklog()
    case .dirty: makeDirty()
    }
  }
}

/// Workloads that have a name.
package enum WorkloadPreset: String, CaseIterable, Sendable {
  /// A little of everything: groups from 2 to 3000 members.
  case small
  /// Many small groups.
  case chat
  /// Groups as large as are tracked, and larger.
  case campus
  /// Members who read thousands of messages at once.
  case backlog
  /// All that goes wrong in the field, often.
  case dirty
}

extension WorkloadOptions {
  private mutating func makeChat() {
    groups = 5000
    largestGroup = 200
    pairs = 5000
    groupsWithoutRoster = 5
    recordsPerSecond = 10_000
  }

  private mutating func makeCampus() {
    groups = 12
    smallestGroup = 3000
    groupsBeyondCap = 2
    pairs = 0
    recordsPerSecond = 10_000
    silent = Share(percent: 0)
    skips = Share(percent: 2)
  }

  private mutating func makeBacklog() {
    groups = 100
    largestGroup = 300
    recordsPerSecond = 10
    burst = 3000
    exact = Share(percent: 1)
    lateRecords = 20
  }

  private mutating func makeDirty() {
    largestGroup = 100
    groupsBeyondCap = 1
    groupsWithoutRoster = 3
    churn = Share(percent: 60)
    snapshots = Share(percent: 10)
    crowds = Share(percent: 10)
    oddNames = Share(percent: 20)
    unread = Share(percent: 5)
    slow = Share(percent: 10)
    duplicates = Share(percent: 8)
    late = Share(percent: 8)
    deletes = Share(percent: 6)
    forged = Share(percent: 1)
    bad = Share(percent: 2)
    oversized = Share(percent: 0.001)
  }
}

/// A part of a whole, in parts of a million: whole numbers are drawn alike everywhere.
package struct Share: Equatable, Sendable {
  /// From 0 to 1,000,000.
  package var perMillion: Int

  /// A number of hundredths, from 0 to 100; a fraction is allowed.
  package init(percent: Double) {
    perMillion = Int((min(max(percent, 0), 100) * 10_000).rounded())
  }
}
