import Core
import Worker

/// A chat backend that writes to one lane in a transaction.
struct SimulationUpstream {
  /// The producer's name.
  let name: String
  let lane: Lane
  /// When the transaction ends.
  let endsAt: Instant
  /// Whether it ends well.
  let isCommitted: Bool
}

/// What chat backends hold back from the pool.
extension Simulation {
  /// Has a backend begin a transaction with the next record of a lane, which ends sooner than what
  /// waits is given up, or much later.
  ///
  /// - Returns: false where the lane has one.
  func beginUpstream() -> Bool {
    let topic = Topic(InputTopic.allCases.randomElement(using: &random) ?? .messages)
    let lane = Lane(topic, Int32.random(in: 0..<options.partitions, using: &random))
    guard !upstreams.contains(where: { $0.lane == lane }) else { return false }
    let length = Int64.random(in: 100...40_000, using: &random)
    upstreamCount += 1
    upstreams.append(
      SimulationUpstream(
        name: "backend \(upstreamCount)", lane: lane, endsAt: now.advanced(byMilliseconds: length),
        isCommitted: Int.random(in: 0..<4, using: &random) > 0))
    return true
  }

  /// Ends those whose time is over.
  func endUpstreams(until time: Instant) {
    for upstream in upstreams where upstream.endsAt <= time {
      broker.endUpstream(upstream.name, well: upstream.isCommitted)
    }
    upstreams.removeAll { $0.endsAt <= time }
  }

  /// Writes an input record, in the open transaction of its lane or beside it.
  func append(_ record: SimulationRecord, _ timestamp: Instant?) {
    let lane = Lane(Topic(record.topic), plan.partition(of: record.key ?? []))
    let upstream = upstreams.first { $0.lane == lane }
    // The oddities must lie where they are expected, at once.
    guard let upstream, record.key != SimulationOddities.key, Bool.random(using: &random) else {
      return broker.append(
        lane.topic, partition: lane.partition, key: record.key, value: record.value,
        timestamp: timestamp)
    }
    broker.appendUpstream(
      upstream.name, lane.topic, partition: lane.partition, key: record.key, value: record.value,
      timestamp: timestamp)
  }
}
