import Core
import Wire

/// What the straight line needs between consuming and producing: decoder, encoder, and buffers
/// that are filled again and again.
struct Line: ~Copyable {
  /// The records to be produced.
  var records = EncodedRecords()

  private var decoder: Decoder
  private let encoder: Encoder
  private var probe = PartitionerProbe()
  private let partitionCount: Int32
  private let inputNames: [String]
  private var event = Event(
    coordinates: Coordinates(topic: .messages, partition: 0, offset: 0, timestamp: nil))
  private var outputs = Outputs()
  private var doubt: PartitionerProbe.Doubt?
  private var hasToldIdJump = false

  init(_ configuration: WorkerConfiguration) {
    decoder = Decoder(rules: configuration.rules)
    encoder = Encoder { configuration.inputNames[Int($0.rawValue)] }
    partitionCount = configuration.partitionCount
    inputNames = configuration.inputNames
  }

  /// The headers of a rejection that stands for an output of the record in hand.
  var tooLargeHeaders: [Header] {
    let rejection = Rejection(.recordTooLarge, message: "An output of this record is too large.")
    let source = event.coordinates
    let pairs: [(StaticString, String)] = [
      ("error.code", rejection.code.rawValue), ("error.message", rejection.message.description),
      ("source.topic", inputNames[Int(source.topic.rawValue)]),
      ("source.partition", String(source.partition)), ("source.offset", String(source.offset)),
      ("source.timestamp", String((source.timestamp ?? Instant(milliseconds: 0)).milliseconds)),
    ]
    return pairs.map { Header(name: $0.0, value: Array($0.1.utf8)) }
  }

  /// Decodes and applies the next record of a lane and encodes what it causes.
  mutating func apply<Log: RecordLog>(
    _ topic: InputTopic, of partition: Partition<Log>, clock: Instant, _ report: inout StepReport
  ) {
    let lane = Int(topic.rawValue)
    let batch = partition.lanes[lane].batch
    let index = partition.lanes[lane].index
    let coordinates = Coordinates(
      topic: topic, partition: partition.number, offset: batch.offset(index),
      timestamp: batch.timestamp(index))
    let isSkipped = partition.skips[lane].contains(coordinates.offset)
    outputs.removeAll()
    batch.withRecord(index) { key, value in
      if isSkipped {
        event.skip(coordinates)
        report.skipped.append(
          .init(topic: topic, partition: partition.number, offset: coordinates.offset))
      } else {
        decoder.decode(coordinates, key: key, value: value, into: &event)
      }
      partition.machine.apply(event, key: key, value: value, clock: clock, into: &outputs)
      if let key, probe.isOpen(lane) {
        doubt = probe.observe(key, topic: lane, partition: partition.number, count: partitionCount)
      }
    }
    encode(partition.number, &report)
    if outputs.hasIdJump, !hasToldIdJump {
      hasToldIdJump = true
      report.occurrences.append(
        .idJump(partition: partition.number, offset: coordinates.offset))
    }
    if let found = doubt {
      doubt = nil
      report.occurrences.append(.partitionerDoubt(LogTopic(topic), likely: found.likely))
    }
  }

  /// About how many pieces of state the last record can have changed.
  var changes: Int { 1 + event.members.count + event.ids.count + event.messageUIds.count }

  /// Moves a partition's stream time on and encodes what that causes.
  mutating func tick<Log: RecordLog>(
    _ partition: Partition<Log>, to target: Instant, limit: Int, _ report: inout StepReport
  ) {
    outputs.removeAll()
    // What is left over is still due, and so ticked for again.
    _ = partition.machine.tick(to: target, limit: limit, into: &outputs)
    encode(partition.number, &report)
    report.ticked.append(Tick(partition: partition.number, to: target))
  }

  /// Does some of what is due before the next record is applied, where that is too much for one
  /// step.
  mutating func close<Log: RecordLog>(
    _ partition: Partition<Log>, before time: Instant, limit: Int, _ report: inout StepReport
  ) {
    outputs.removeAll()
    _ = partition.machine.tick(to: time, limit: limit, into: &outputs)
    encode(partition.number, &report)
  }

  private mutating func encode(_ partition: Int32, _ report: inout StepReport) {
    records.removeAll()
    encoder.encode(outputs, partition: partition, into: &records)
    report.count(outputs)
    report.work += outputs.work
  }
}

extension StepReport {
  fileprivate mutating func count(_ outputs: Outputs) {
    for rejected in outputs.rejected { rejections[rejected.rejection.code, default: 0] += 1 }
    passedOver.covered += outputs.tally.covered
    passedOver.own += outputs.tally.own
    passedOver.notInAudience += outputs.tally.notInAudience
    passedOver.notTracked += outputs.tally.notTracked
    passedOver.tooOld += outputs.tally.tooOld
  }
}
