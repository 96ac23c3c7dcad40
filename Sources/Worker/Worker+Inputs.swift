import Core
import Wire

/// Whether the inputs are still the topics that they were.
extension Worker {
  /// Between two looks, in milliseconds: for so long records of a topic made anew may be taken for
  /// those of the former one.
  private static var witnessInterval: Int64 { 10_000 }
  /// The same while there is nothing yet that an input is known by.
  private static var firstWitnessInterval: Int64 { 1000 }

  /// Once in ten seconds asks whether the inputs still are the topics that were read before, all of
  /// them at once. A lane that gives another answer shows the record itself before it is read on.
  func watchInputs() throws(LogFailure) {
    guard let time, !recovery.isNeeded else { return }
    let elapsed = witnessedAt.map { time.uptime - $0 } ?? .max
    guard elapsed >= Self.firstWitnessInterval,
      elapsed >= Self.witnessInterval || partitions.contains(where: \.hasUnwitnessedLane)
    else { return }
    witnessedAt = time.uptime
    let places = partitions.filter(\.isRunning).flatMap { partition in
      InputTopic.allCases.map { (partition: partition, input: $0) }
    }
    let known = places.filter { $0.partition.lanes[$0.input].witness != nil }
    let new = places.compactMap { place in
      place.partition.lanes[place.input].nextWitness.map { (place: place, record: $0) }
    }
    let firsts: [Int64?]
    let answers: [Int64?]
    do throws(LogFailure) {
      // The new ones first: where the former ones hold afterwards, they are of the same topic.
      firsts = try log.firstOffsets(
        after: new.map { (lane($0.place), $0.record.timestamp ?? .distantPast) })
      answers = try log.firstOffsets(
        after: known.map {
          (lane($0), $0.partition.lanes[$0.input].witness?.record.timestamp ?? .distantPast)
        })
    } catch {
      // Nobody has answered: the next look is as good.
      return
    }
    for (place, answer) in zip(known, answers) {
      try hear(answer, of: place.partition, place.input)
    }
    for (asked, first) in zip(new, firsts) {
      let (partition, input) = asked.place
      guard partition.lanes[input].landmark == nil else { continue }
      partition.lanes[input].witness = Witness(record: asked.record, firstLater: first)
    }
  }

  private func lane(_ place: (partition: Partition<Log>, input: InputTopic)) -> Lane {
    Lane(Topic(place.input), place.partition.number)
  }

  private func hear(
    _ answer: Int64?, of partition: Partition<Log>, _ input: InputTopic
  ) throws(LogFailure) {
    guard let witness = partition.lanes[input].witness, witness.isDoubted(by: answer) else {
      return
    }
    let bounds = try log.bounds(lane((partition, input)))
    // Retention may have taken it; then nothing is known.
    guard witness.record.landmark(in: bounds) != nil, partition.lanes[input].landmark == nil
    else { return }
    partition.lanes[input].restart(
      at: partition.lanes[input].position, behind: witness.record)
    isAssignmentStale = true
  }
}

extension Partition {
  fileprivate var hasUnwitnessedLane: Bool {
    isRunning && lanes.contains { $0.witness == nil && $0.nextWitness != nil }
  }
}
