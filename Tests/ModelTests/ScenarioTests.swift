import Foundation
import Testing

/// A small case with what the contract says must come out of it.
struct Scenario: CustomTestStringConvertible, Sendable {
  struct Step: Sendable {
    /// The input as the scenario says it.
    var input: String
    var lines: [[UInt8]]
    var expected: [String]
  }

  var name: String
  var options: [String: String]
  var steps: [Step]

  var testDescription: String { name }

  /// All scenarios of the folder beside this file.
  static func all() throws -> [Scenario] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scenarios")
    let files = try FileManager.default.contentsOfDirectory(
      atPath: folder.path(percentEncoded: false))
    return try files.filter { $0.hasSuffix(".json") }.sorted().flatMap { file in
      let text = Bytes(try Data(contentsOf: folder.appending(path: file)))
      guard case .array(let scenarios) = try JSONParser.parse(text) else {
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
    let expected = try parts.dropFirst().map { part in
      guard case .string(let text) = part else {
        throw ScenarioScript.Unreadable(step: json.description)
      }
      return text.description
    }
    guard case .string(let text) = input else {
      let line = input.description
      return Step(input: line, lines: [Array(line.utf8)], expected: expected)
    }
    let lines = try ScenarioScript.lines(text.description, at: Int64(index))
    return Step(input: text.description, lines: lines.map(\.bytes), expected: expected)
  }
}

@Suite("Scenarios")
struct ScenarioTests {
  @Test("the model gives what the contract says", arguments: try Scenario.all())
  func model(_ scenario: Scenario) throws {
    var model = try Model(scenario.options)
    for step in scenario.steps {
      expect(try step.lines.flatMap { line in try model.apply(Bytes(line)) }, of: step)
    }
  }

  @Test("the engine gives what the contract says", arguments: try Scenario.all())
  func engine(_ scenario: Scenario) throws {
    var engine = try Engine(scenario.options)
    for step in scenario.steps {
      var outputs: [ModelOutput] = []
      for line in step.lines { outputs += try engine.apply(Bytes(line)) }
      expect(outputs, of: step)
    }
  }

  private func expect(_ outputs: [ModelOutput], of step: Scenario.Step) {
    let outputs = outputs.map(Transcript.text)
    let isRight = Transcript.matches(outputs[...], step.expected[...])
    #expect(
      isRight, "\(step.input)\ngives    \(outputs.prefix(12))\nexpected \(step.expected)")
  }
}
