import Kafka
import Ops
import Worker

/// The thread of `rollcall load` that asks for the group's lag and tells of the course, once a
/// second.
struct LagReporter {
  /// nil: no group is asked for.
  private let group: GroupLag?
  private let stop: StopRequest

  /// How long a question may take before the second is told without its answer.
  private static let patience = Duration.milliseconds(700)

  init(
    _ clients: Settings, _ inputs: [TopicPartition], asksForLag: Bool, stop: StopRequest
  ) throws(KafkaError) {
    self.stop = stop
    group = asksForLag ? try GroupLag(clients, inputs) : nil
  }

  /// Tells until it is asked to end.
  func run(_ meter: LoadMeter) {
    var before = 0
    let start = ContinuousClock.now
    var second = 0
    while !stop.isRequested {
      second += 1
      let due = start + .seconds(1) * second
      stop.wait(milliseconds: max(0, Int(ContinuousClock.now.duration(to: due) / .milliseconds(1))))
      if stop.isRequested { break }
      let round = meter.lagRound
      meter.note(lag: lag(), askedIn: round)
      let counts = meter.counts
      Console.tell(line(second, counts, counts.records - before, meter.takeLastSecond()))
      before = counts.records
    }
    group?.close()
  }

  private func line(
    _ second: Int, _ counts: LoadMeter.Counts, _ rate: Int, _ latencies: LatencyHistogram
  ) -> String {
    var parts = ["\(second) s", "\(rate) records/s", "\(counts.records) in all"]
    if group != nil { parts.append("lag \(counts.lag.map { "\($0)" } ?? "unknown")") }
    if let median = latencies.percentile(50), let late = latencies.percentile(99) {
      parts.append("end to end p50 \(median) ms, p99 \(late) ms")
    }
    if counts.announced > 0 { parts.append("\(counts.announced) announced") }
    return parts.joined(separator: "  ")
  }

  /// How many records the group has not applied; nil where that cannot be told just now.
  private func lag() -> Int64? {
    do throws(KafkaError) {
      return try group?.total(within: Self.patience)
    } catch {
      // The next second asks again.
      return nil
    }
  }
}
