import Core
import Lab
import Ops
import Synchronization

/// What the threads of `rollcall load` know of its course.
final class LoadMeter: Sendable {
  /// What was written and seen so far.
  struct Counts {
    var records = 0
    var bytes = 0
    /// Messages, receipts, deletes.
    var byTopic: PerInput<Int> = [0, 0, 0]
    /// Messages announced, each kind by itself.
    var announced = 0
    var endToEnd = LatencyHistogram()
    /// Records of the inputs that the group has not applied; nil while it is not known. After the
    /// writing only what was asked after it.
    var lag: Int64?
  }

  private struct State {
    var counts = Counts()
    var lastSecond = LatencyHistogram()
    var times: WriteTimes
    var writingEnded: ContinuousClock.Instant?
    var processorTime: Int64 = 0
    /// Raised when an answer to a question asked before says nothing any more.
    var lagRound = 0
  }

  /// When the writing began, once what is made beforehand was made.
  private let start = ContinuousClock.now
  private let startProcessorTime = ProcessorTime.milliseconds
  private let state: Mutex<State>

  init(recordsPerSecond: Int) {
    state = Mutex(State(times: WriteTimes(recordsPerSecond: recordsPerSecond)))
  }

  /// What is known now.
  var counts: Counts { state.withLock(\.counts) }

  /// How long records are, or were, written.
  var elapsed: Duration {
    start.duration(to: state.withLock(\.writingEnded) ?? .now)
  }

  /// What the process had to work for the writing, in milliseconds.
  var processorTime: Int64 { state.withLock(\.processorTime) }

  func noteWritten(_ batch: LoadBatch.Slice) {
    let now = milliseconds
    state.withLock { state in
      state.counts.records += batch.times.count
      state.counts.bytes += batch.bytes
      for topic in InputTopic.allCases { state.counts.byTopic[topic] += batch.byTopic[topic] }
      for time in batch.times { state.times.note(time, writtenAt: now) }
    }
  }

  /// Notes that the last record was handed over, and is there.
  func noteWritingEnded() {
    state.withLock { state in
      state.writingEnded = .now
      state.processorTime = ProcessorTime.milliseconds - startProcessorTime
      state.lagRound += 1
      state.counts.lag = nil
    }
  }

  /// Notes an event that announces messages.
  ///
  /// - Parameter time: that of the completing record, as the event tells it.
  func noteAnnounced(_ messages: Int, completedAt time: Instant?) {
    let now = milliseconds
    state.withLock { state in
      state.counts.announced += messages
      guard let time, let written = state.times.writing(of: time) else { return }
      state.lastSecond.add(now - written)
      state.counts.endToEnd.add(now - written)
    }
  }

  /// To be given with the answer to a question for the lag that is asked now.
  var lagRound: Int { state.withLock(\.lagRound) }

  func note(lag: Int64?, askedIn round: Int) {
    state.withLock { state in
      if round == state.lagRound { state.counts.lag = lag }
    }
  }

  /// What came since the last call.
  func takeLastSecond() -> LatencyHistogram {
    state.withLock { state in
      defer { state.lastSecond = LatencyHistogram() }
      return state.lastSecond
    }
  }

  /// Since the start.
  private var milliseconds: Int { Int(start.duration(to: .now) / .milliseconds(1)) }
}

/// When the newest records were written, found by the time that they tell.
struct WriteTimes {
  private struct Place {
    var number: Int64 = -1
    var writtenAt = 0
  }

  /// How many of the newest are known.
  private static let capacity = 1 << 20
  private var places = [Place](repeating: Place(), count: capacity)
  /// The milliseconds from one record to the next, at least 1.
  private let step: Int64

  init(recordsPerSecond: Int) { step = Int64(max(1, 1000 / max(1, recordsPerSecond))) }

  /// - Parameter writtenAt: in milliseconds.
  mutating func note(_ time: Instant?, writtenAt: Int) {
    guard let number = number(of: time) else { return }
    places[Int(number) % Self.capacity] = Place(number: number, writtenAt: writtenAt)
  }

  /// When the record of a time was written, in milliseconds; nil where that cannot be told. Who
  /// tells whole seconds tells too little.
  func writing(of time: Instant) -> Int? {
    guard time.milliseconds % 1000 != 0, let number = number(of: time) else { return nil }
    let place = places[Int(number) % Self.capacity]
    return place.number == number ? place.writtenAt : nil
  }

  private func number(of time: Instant?) -> Int64? {
    guard let time, time >= Workload.start else { return nil }
    return time.millisecondsSince(Workload.start) / step
  }
}
