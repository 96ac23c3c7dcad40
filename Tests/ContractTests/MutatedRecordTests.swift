import Core
import GoldenRecords
import Testing
import Wire

@testable import Oracle

/// The engine and the model read what nobody meant to write in the same way.
@Suite("Mutated records") struct MutatedRecordTests {
  @Test(arguments: 1...3)
  func `a record is rejected by both or by none, for one of its faults`(seed: UInt64) {
    for topic in InputTopic.allCases {
      var mutator = Mutator(topic, seed: seed)
      var decoder = Decoder(rules: Rules())
      var event = Event(
        coordinates: Coordinates(topic: topic, partition: 0, offset: 0, timestamp: nil))
      var rejected: [String: Int] = [:]
      for index in 0..<5000 {
        if index.isMultiple(of: 2) { mutator.changeOneField() } else { mutator.next() }
        // Mostly about the time of the records; and so early that they lie too far ahead.
        let timestamp: Int64 = index.isMultiple(of: 7) ? 1 : 1_772_025_178_000
        let coordinates = Coordinates(
          topic: topic, partition: 0, offset: Int64(index),
          timestamp: Instant(milliseconds: timestamp))
        decoder.decode(coordinates, key: mutator.key?.span, value: mutator.value.span, into: &event)
        let record = ModelDecoder().record(
          ModelInput(
            topic: ModelRecord.Topic(rawValue: "\(topic)") ?? .messages, partition: 0,
            offset: Int64(index), timestamp: timestamp, key: mutator.key, value: mutator.value))
        var found: String?
        if case .invalid(let rejection) = event.body { found = rejection.code.rawValue }
        var expected: [String?] = [nil]
        if case .fault(let fault) = record.content {
          expected = [fault.code, fault.otherCode ?? fault.code]
        }
        let text = String(decoding: mutator.value, as: UTF8.self)
        #expect(expected.contains(found), "\(topic) \(mutator.key ?? []) \(text)")
        rejected[found ?? "", default: 0] += 1
      }
      #expect(rejected.count > 3 && rejected[""] ?? 0 > 100, "\(rejected)")
    }
  }
}
