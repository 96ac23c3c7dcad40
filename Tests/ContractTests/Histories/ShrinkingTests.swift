import Testing

@testable import Histories
@testable import Oracle
@testable import Scenarios

/// A history that fails is shrunk before it is told: shown by engines that leave something out.
@Suite("Shrinking a history") struct ShrinkingTests {
  /// Something that an engine never says.
  enum Loss: String, CaseIterable {
    case announcements, deletions, replies, statuses, rejections

    /// The most lines that it takes to show it: a roster, a message, and what follows; of an
    /// announcement a receipt of each member, or what ends one's membership.
    var mostLines: Int { self == .announcements ? 8 : 4 }

    func spoil(_ outputs: inout [WrittenRecord]) {
      outputs.removeAll { output in
        let event = output.value?["event"]
        return switch self {
        case .announcements: event == "messagesReadByAll"
        case .deletions: event == "messageDeleted"
        case .replies: event == "threadUpdated"
        case .statuses: output.topic == "status" && output.value?["deletedAt"] != nil
        case .rejections: output.topic == "rejected"
        }
      }
    }
  }

  @Test(arguments: Loss.allCases)
  func `a handful of lines is left, which fail by themselves`(_ loss: Loss) throws {
    func fault(_ history: History) throws -> String? {
      try HistoryTests.fault(of: history, spoil: loss.spoil)
    }
    var found = 0
    for seed: UInt64 in 0..<8 {
      let history = HistoryGenerator.history(seed)
      guard let told = history.failure(fault) else { continue }
      found += 1
      let printed = try Printed(told)
      #expect(1...loss.mostLines ~= printed.lines.count, "\(told)")
      #expect(told.contains(" of \(history.lines.count) lines, after "))
      #expect(told.hasSuffix("\nall of them: \(history.command)"))
      // The lines are the history's, and wrong without the others.
      #expect(printed.lines.allSatisfy { line in history.lines.contains { $0.text == line } })
      let small = History(
        seed: seed, options: history.options,
        lines: printed.lines.map { .init(source: .messages, text: $0) })
      let again = try #require(try fault(small))
      #expect(told.hasPrefix(again))
      #expect(try HistoryTests.fault(of: small) == nil)
      #expect(printed.command == Self.command(history.options))
    }
    #expect(found > 1)
  }

  @Test func `an error that is thrown is told in the same way`() throws {
    struct Trap: Error {}
    let history = HistoryGenerator.history(1)
    let told = try #require(
      history.failure { part in
        if part.lines.contains(where: { $0.source == .deletes }) { throw Trap() }
        return part.lines.isEmpty ? "nothing is wrong in another way" : nil
      })
    #expect(told.hasPrefix("throws Trap()\nin 1 of \(history.lines.count) lines, after "))
  }

  @Test func `a history in which nothing is wrong tells nothing`() {
    #expect(HistoryGenerator.history(1).failure { _ in nil } == nil)
  }

  /// What a failure says, taken apart.
  private struct Printed {
    var command: String
    var lines: [Bytes]

    init(_ told: String) throws {
      let rows = told.split(separator: "\n", omittingEmptySubsequences: false)
      let place = try #require(rows.lastIndex { $0.hasPrefix("rollcall replay") })
      command = String(rows[place])
      lines = rows[(place + 1)...].dropLast().map { Bytes(String($0)) }
    }
  }

  private static func command(_ options: [String: String]) -> String {
    let names = [
      "enhancedMessagingStatus": "enhanced-messaging-status", "grace": "grace",
      "leavers": "leavers", "maxGroupMembers": "max-group-members",
      "maxRecordBytes": "max-record-bytes",
      "maxWaitingPerConversation":
        "max-waiting-per-conversation", "maxWaitingPerPartition": "max-waiting-per-partition",
      "receiptEvents": "receipt-events", "threads": "threads",
      "trackingWindow": "tracking-window", "unreadEvents": "unread-events",
    ]
    let words = options.keys.sorted().map { " --\(names[$0] ?? "?") \(options[$0] ?? "")" }
    return "rollcall replay" + words.joined()
  }
}
