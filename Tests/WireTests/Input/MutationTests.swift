import Core
import Foundation
import GoldenRecords
import Testing
import Wire

@testable import Oracle

/// Golden records, changed at random. `ROLLCALL_FUZZ` sets the number of inputs for each topic,
/// `ROLLCALL_FUZZ_SEED` where they begin: a failure names the seed of its input.
@Suite("Any bytes") struct AnyBytesTests {
  @Test(arguments: InputTopic.allCases)
  func `Give an event or a rejection`(topic: InputTopic) {
    let environment = ProcessInfo.processInfo.environment
    let count = environment["ROLLCALL_FUZZ"].flatMap(Int.init) ?? 5_000
    let seed = environment["ROLLCALL_FUZZ_SEED"].flatMap(UInt64.init) ?? 1
    var trial = Trial(topic, seed: seed)
    for index in 0..<count where !trial.holds() {
      let input = String(decoding: trial.mutator.value, as: UTF8.self)
      Issue.record(
        """
        \(trial.faults) at input \(index): \(input.prefix(2_000))
        ROLLCALL_FUZZ=\(count) ROLLCALL_FUZZ_SEED=\(seed) swift test --disable-xctest \
        --filter MutationTests
        """)
      return
    }
    #expect(trial.outcomes.count >= 4, "the inputs are not all alike")
    if environment["ROLLCALL_FUZZ"] != nil {
      print(topic, trial.outcomes.sorted { $0.value > $1.value }.map { "\($0.key): \($0.value)" })
    }
  }
}

/// Decodes one input after the other and checks what must hold for each.
private struct Trial: ~Copyable {
  var mutator: Mutator
  var outcomes: [String: Int] = [:]
  var faults: [String] = []
  private var decoder = Decoder(rules: Rules())
  private var event: Event
  private var count = 0

  init(_ topic: InputTopic, seed: UInt64) {
    mutator = Mutator(topic, seed: seed)
    event = Event(coordinates: Coordinates(topic: topic, partition: 0, offset: 0, timestamp: nil))
  }

  /// Decodes the next input; whether all holds.
  mutating func holds() -> Bool {
    mutator.next()
    count += 1
    let coordinates = event.coordinates
    let (key, value) = (mutator.key, mutator.value)
    decoder.decode(coordinates, key: key?.span, value: value.span, into: &event)
    checkVerdict()
    if case .invalid(let rejection) = event.body {
      outcomes[rejection.code.rawValue, default: 0] += 1
    } else {
      outcomes["good", default: 0] += 1
      checkEvent()
    }
    // Now and then: a decoder that was never used says the same, so nothing is left behind.
    if count.isMultiple(of: 64) {
      let fresh = described(coordinates.topic, key: mutator.key, mutator.value)
      check(event.line == fresh, "differs from a fresh decoder")
    }
    return faults.isEmpty
  }

  private mutating func check(_ condition: Bool, _ fault: String) {
    if !condition { faults.append(fault) }
  }

  /// Whether some bytes are a JSON object, as the oracle reads them; nil: no JSON.
  private static func isObject(_ bytes: [UInt8]) -> Bool? {
    do throws(JSONText.Fault) { return try JSONText(bytes).root.isObject } catch { return nil }
  }

  /// The oracle's reader agrees on what is JSON and what is an object.
  private mutating func checkVerdict() {
    var code: ErrorCode?
    if case .invalid(let rejection) = event.body { code = rejection.code }
    if let key = mutator.key, key.count > Event.maxKeyBytes {
      check(code == .wrongKey, "looked at in spite of its key")
      return
    }
    if mutator.value.isEmpty {
      check(code == .badRecord, "empty")
      return
    }
    switch Self.isObject(mutator.value) {
    case nil: check(code == .badJSON, "taken for JSON")
    case true?: check(code != .badJSON, "not taken for JSON")
    case false?: check(code == .badRecord, "taken for an object")
    }
  }

  /// What is good keeps the contract's limits.
  private mutating func checkEvent() {
    check(decoder.derivedKey == mutator.key, "another key")
    switch event.body {
    case .message(let message):
      check(message.id > 0, "id")
      checkName(message.sender)
      if let uid = message.messageUId { checkName(uid) }
    case .membership(let membership):
      check(membership.id > 0, "id")
      for member in event.members { checkName(member.uid) }
    case .action(let id, _): check(id > 0, "id")
    case .receipt(let receipt):
      checkName(receipt.sender)
      switch receipt.covers {
      case .upTo(let id): check(id > 0, "id")
      case .conversation: check(receipt.kind != .unread, "unread of a conversation")
      case .ids:
        check((1...1000).contains(event.ids.count), "count")
        check(event.ids.allSatisfy { $0 > 0 }, "ids")
      case .messageUIds:
        check((1...1000).contains(event.messageUIds.count), "count")
        for uid in event.messageUIds { checkName(uid) }
      }
    case .delete(let delete):
      check(delete.messageId > 0, "id")
      checkName(delete.deletedBy)
      switch delete.receiver {
      case .group(let name), .user(let name): checkName(name)
      }
      if let original = delete.original {
        let text = Array(event.text[original.range])
        check(Self.isObject(text) == true, "the original is no object")
        check(Self.contains(mutator.value, text), "the original is not what came")
      }
      if let sender = delete.originalSender { checkName(sender) }
    case .edit, .invalid:
      break
    }
  }

  private mutating func checkName(_ name: Text) {
    let isInside = name.start >= 0 && name.range.upperBound <= event.text.count
    check(isInside && (1...128).contains(name.count), "name")
    guard isInside else { return }
    check(String(validating: event.text[name.range], as: UTF8.self) != nil, "UTF-8")
  }

  private static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
    part.count <= bytes.count
      && (0...(bytes.count - part.count)).contains { bytes[$0...].starts(with: part) }
  }
}
