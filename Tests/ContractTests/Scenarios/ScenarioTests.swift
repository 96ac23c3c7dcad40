import Foundation
import Testing

@testable import Oracle
@testable import Scenarios

/// A small case with what the contract says must come out of it.
struct Scenario: CustomTestStringConvertible, Sendable {
  struct Step: Sendable {
    /// The input as the scenario says it.
    var input: String
    var lines: [[UInt8]]
    var expected: [String]
    /// What must stand in the lines that come out, byte by byte.
    var contained: [String] = []
  }

  var name: String
  /// Whether `unreadChanged` is looked at; where a scenario is not about it, it may be left out.
  var isUnreadChecked: Bool
  var options: [String: String]
  var steps: [Step]

  var testDescription: String { name }

  /// All scenarios of the folder beside this file.
  static func all() throws -> [Scenario] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Cases")
    let files = try FileManager.default.contentsOfDirectory(
      atPath: folder.path(percentEncoded: false))
    return try files.filter { $0.hasSuffix(".json") }.sorted().flatMap { file in
      let text = Bytes(try Data(contentsOf: folder.appending(path: file)))
      guard case .array(let scenarios) = try JSON.parse(text) else {
        throw ScenarioScript.Unreadable(step: file)
      }
      return try scenarios.map(Scenario.init)
    }
  }

  init(_ json: JSON) throws {
    guard case .string(let name)? = json["name"], case .array(let steps)? = json["steps"] else {
      throw ScenarioScript.Unreadable(step: json.description)
    }
    self.name = name.description
    isUnreadChecked = json["unread"] != .bool(false)
    options = [:]
    if case .object(let members)? = json["options"] {
      for member in members {
        let isText = if case .string = member.value { true } else { false }
        let text = member.value.description
        options[member.name.description] = isText ? String(text.dropFirst().dropLast()) : text
      }
    }
    self.steps = try steps.enumerated().map { index, step in try Scenario.step(step, index) }
  }

  private static func step(_ json: JSON, _ index: Int) throws -> Step {
    guard case .array(let parts) = json, let input = parts.first else {
      throw ScenarioScript.Unreadable(step: json.description)
    }
    let texts = try parts.dropFirst().map { part in
      guard case .string(let text) = part else {
        throw ScenarioScript.Unreadable(step: json.description)
      }
      return text.description
    }
    let contained = texts.filter { $0.hasPrefix("bytes ") }.map { String($0.dropFirst(6)) }
    let expected = texts.filter { !$0.hasPrefix("bytes ") }
    guard case .string(let text) = input else {
      let line = input.description
      return Step(input: line, lines: [Array(line.utf8)], expected: expected, contained: contained)
    }
    let lines = try ScenarioScript.lines(text.description, at: Int64(index))
    return Step(
      input: text.description, lines: lines.map(\.bytes), expected: expected,
      contained: contained)
  }
}

@Suite("Scenarios") struct ScenarioTests {
  @Test(arguments: try Scenario.all())
  func `the model gives what the contract says`(_ scenario: Scenario) throws {
    var model = try ModelReplay(scenario.options)
    for step in scenario.steps {
      let outputs = try step.lines.flatMap { line in try model.apply(Bytes(line)) }
      expect(outputs, of: step, in: scenario)
    }
  }

  @Test(arguments: try Scenario.all())
  func `the engine gives what the contract says`(_ scenario: Scenario) throws {
    var engine = try ReplayEngine(scenario.options)
    for step in scenario.steps {
      var outputs: [WrittenRecord] = []
      var written = Bytes("")
      for line in step.lines {
        let lines = Bytes(try engine.write(Bytes(line)))
        outputs += try engine.outputs(lines)
        written = written + lines
      }
      expect(outputs, of: step, in: scenario)
      let violations = engine.violations
      #expect(violations == [], "\(step.input)")
      for part in step.contained {
        let isThere = written.occurrences(of: Bytes(part)) > 0
        #expect(isThere, "\(step.input)\ngives   \(written)\nwithout \(part)")
      }
    }
  }

  private func expect(_ outputs: [WrittenRecord], of step: Scenario.Step, in scenario: Scenario) {
    let outputs = outputs.filter {
      scenario.isUnreadChecked || $0.value?["event"] != "unreadChanged"
    }.map(Transcript.text)
    let isRight = Transcript.matches(outputs[...], step.expected[...])
    #expect(isRight, "\(step.input)\ngives    \(outputs.prefix(12))\nexpected \(step.expected)")
  }
}
