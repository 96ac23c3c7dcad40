import Testing

@testable import Core

/// Where a member stands towards a message.
@Suite struct StandingTests {
  private let message = MessageFacts(
    id: 10, sequence: 10, appliedAt: Instant(milliseconds: 100),
    sentAt: Instant(milliseconds: 50), sender: 7)

  private func standing(
    _ slot: Int32, _ periods: [Period], _ progress: Progress = Progress(),
    marks: Timeline.Marks? = nil, leavers: Rules.Leavers = .release
  ) -> Standing {
    var rules = Rules()
    rules.leavers = leavers
    return MemberInThread(slot: slot, periods: periods, progress: progress, rules)
      .standing(of: message, marks: marks)
  }

  @Test func `the role follows from the membership at the time of the message`() {
    let lasting = Period(beginId: 1, beginSequence: 1, isExempt: false)
    let left = Period(
      beginId: 1, beginSequence: 1, endId: 20, endSequence: 20,
      endedAt: Instant(milliseconds: 200), isExempt: false)
    #expect(standing(1, []).role == .outside)
    #expect(standing(1, [Period(beginId: 11, beginSequence: 11, isExempt: false)]).role == .outside)
    #expect(standing(1, [lasting]).role == .waitedFor)
    #expect(standing(7, [lasting]).role == .sender)
    #expect(standing(1, [Period(beginId: 1, beginSequence: 1, isExempt: true)]).role == .exempt)
    #expect(standing(1, [left]).role == .released)
    #expect(standing(1, [left], leavers: .hold).role == .waitedFor)
  }

  @Test
  func `what is read is received, with the time of the watermark; of a mark no time is known`() {
    let lasting = [Period(beginId: 1, beginSequence: 1, isExempt: false)]
    var progress = Progress()
    progress.read.raise(upTo: 10, at: Instant(milliseconds: 300))
    let read = standing(1, lasting, progress)
    #expect(read.hasReceived && read.hasRead)
    #expect(read.watermarkReceivedAt == Instant(milliseconds: 300))
    #expect(read.watermarkReadAt == read.watermarkReceivedAt)
    #expect(read.counts == Counts(delivered: 1, read: 1))
    progress = Progress()
    progress.delivered.raise(sentUpTo: Instant(milliseconds: 50), at: Instant(milliseconds: 60))
    let received = standing(1, lasting, progress)
    #expect(received.hasReceived && !received.hasRead && received.watermarkReadAt == nil)
    #expect(received.watermarkReceivedAt == Instant(milliseconds: 60))
    #expect(received.counts == Counts(delivered: 1, pendingRead: 1))
    var marks = Timeline.Marks()
    marks.insert(1, .read)
    let marked = standing(1, lasting, marks: marks)
    #expect(marked.hasReceived && marked.hasRead && marked.watermarkReadAt == nil)
    #expect(standing(2, lasting, marks: marks).counts.pendingRead == 1)
  }
}
