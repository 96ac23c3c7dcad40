import BrokerSupport
import Foundation
import Testing

extension Integration {
  /// Kafka's own tools, as the handbook names them.
  @Suite(.enabled(if: Broker.isKafka, needsKafka))
  struct KafkaToolsTests {
    @Test func `Each class that the handbook names is there`() throws {
      let handbook = try String(
        contentsOf: Broker.root.appending(path: "ops/README.md"), encoding: .utf8)
      let names = Set(handbook.matches(of: /org\.apache\.kafka\.tools\.[A-Za-z.]+/).map(\.output))
      #expect(names.count >= 5)
      let libraries = try #require(Wish.text("KAFKA_HOME")) + "/libs/*"
      let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for name in names {
        let tool = try Command.run(
          ["java", "-cp", libraries, String(name), "--version"],
          of: URL(filePath: "/usr/bin/env"), in: folder)
        #expect(tool.code == 0, "\(name): \(tool.errors)")
      }
      try FileManager.default.removeItem(at: folder)
    }
  }
}
