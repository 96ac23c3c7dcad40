import Core
import Foundation
import Testing
import Worker

@testable import rollcall

/// The files in `topics` say what the program does.
@Suite("Topic definitions") struct TopicTests {
  /// One of `topics/*.json`.
  private struct Definition: Decodable {
    var name: String
    var role: String
    var description: String
    var partitions: Int32
    var contract: [String: String]
    var initial: [String: String]
    var key: String
    var schema: String?
    var headers: String?
  }

  @Test(arguments: TopicDefinition.all)
  func `each topic's file is the table in the program`(_ topic: TopicDefinition) throws {
    let url = Repository.root.appending(path: "topics/\(topic.topic.defaultName).json")
    let definition = try JSONDecoder().decode(Definition.self, from: Data(contentsOf: url))
    #expect(definition.name == topic.topic.defaultName)
    #expect(definition.role == topic.role.rawValue)
    #expect(definition.partitions == TopicDefinition.defaultPartitions)
    #expect(definition.contract == settings(topic.contract))
    #expect(definition.initial == settings(topic.initial))
    for reference in [definition.schema, definition.headers].compactMap(\.self) {
      let path = Repository.root.appending(path: "topics/\(reference)").path
      #expect(FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func `there is a file for each topic and no other`() {
    let names = Repository.files.map(\.path).filter {
      $0.hasPrefix("topics/") && $0.hasSuffix(".json") && $0.split(separator: "/").count == 2
    }
    #expect(Set(names) == Set(TopicDefinition.all.map { "topics/\($0.topic.defaultName).json" }))
  }

  @Test func `the schema of rejections knows the program's error codes`() throws {
    /// What is read of the schema.
    struct Schema: Decodable {
      var properties: [String: Property]
      struct Property: Decodable { var `enum`: [String]? }
    }
    let url = Repository.root.appending(path: "topics/schemas/rejected-headers.schema.json")
    let schema = try JSONDecoder().decode(Schema.self, from: Data(contentsOf: url))
    #expect(schema.properties["error.code"]?.enum == ErrorCode.allCases.map(\.rawValue))
  }

  @Test func `the table is in the order of the topics`() {
    #expect(TopicDefinition.all.map(\.topic) == Topic.allCases)
  }

  private func settings(_ list: [TopicDefinition.Setting]) -> [String: String] {
    Dictionary(list.map { ($0.name, $0.value) }) { first, _ in first }
  }
}
