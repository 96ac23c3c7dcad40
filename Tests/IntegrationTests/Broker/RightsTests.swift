import BrokerSupport
import Core
import Foundation
import Testing
import Worker

@testable import rollcall

extension Integration {
  @Suite(.enabled(if: Broker.isKafka, needsKafka))
  struct RightsTests {
    /// One for all: each test has topics and a group of its own.
    private static let shared = Result {
      try Broker(settings: [
        "authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer",
        "allow.everyone.if.no.acl.found=true", "super.users=User:admin",
      ])
    }

    private let broker: Broker
    private let stage: Stage

    init() throws {
      broker = try Self.shared.get()
      stage = try Stage(broker, partitions: 1)
    }

    /// Allows everything on a resource to everybody but one operation.
    private func deny(_ operation: String, on resource: [String]) throws {
      for rule in [["--allow-principal", "User:*"], ["--deny-principal", "User:ANONYMOUS"]] {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments =
          [
            "java", "-cp", "\(Wish.text("KAFKA_HOME") ?? "")/libs/*",
            "org.apache.kafka.tools.AclCommand", "--bootstrap-server", broker.bootstrapServers,
            "--add",
          ] + resource + rule + ["--operation", rule[0] == "--deny-principal" ? operation : "All"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
      }
    }

    private func topic(_ topic: Topic) -> [String] {
      ["--topic", stage.connection.names[topic]]
    }

    private func run(_ command: [String]) throws -> Command {
      try stage.run(command)
    }

    @Test("A topic that may not be seen is not called missing: operation, topic and user are named")
    func describe() throws {
      try deny("Describe", on: topic(.events))
      let name = stage.connection.names[.events]
      let worker = try run(["worker"])
      #expect(worker.code == 78)
      #expect(worker.errors.contains("DESCRIBE on topic \(name) is not allowed"))
      #expect(worker.errors.contains("User:ANONYMOUS"))
      #expect(!worker.errors.contains("is missing"))
      let check = try run(["topics", "check"])
      #expect(check.code == 1)
      #expect(check.output.contains("DESCRIBE on topic \(name) is not allowed"))
      let verify = try run(["verify"])
      #expect(verify.code == 69)
      #expect(verify.errors.contains("DESCRIBE on topic \(name) is not allowed to User:ANONYMOUS"))
      try stage.strike()
    }

    @Test func `Settings that may not be read are a warning, and the worker works`() throws {
      try deny("DescribeConfigs", on: topic(.status))
      let worker = try WorkerProcess(stage, instance: "1")
      try worker.awaitLine("partition restored")
      let warnings = try worker.lines("a topic's settings cannot be read, and are not checked")
      #expect(warnings.count == 1)
      #expect(
        warnings.first?.text.contains(
          "DESCRIBE_CONFIGS on topic \(stage.connection.names[.status])") == true)
      try stage.end([worker])
      try stage.strike()
    }

    @Test(arguments: ["inputs", "outputs", "group", "transactional id"])
    func `What is refused at work is named, with the user and what a worker needs`(what: String)
      throws
    {
      let (operation, resource, words): (String, [String], String) =
        switch what {
        case "inputs":
          ("Read", topic(.receipts), "READ on topic \(stage.connection.names[.receipts])")
        case "outputs":
          ("Write", topic(.status), "WRITE on topic \(stage.connection.names[.status])")
        case "group": ("Read", ["--group", stage.group], "READ on the group")
        default:
          ("Write", ["--transactional-id", "\(stage.group)-1-0"], "WRITE on the transactional id")
        }
      try deny(operation, on: resource)
      let worker = try WorkerProcess(stage, instance: "1")
      try stage.write(stage.traffic(records: 100))
      #expect(try worker.process.end(within: .seconds(60)) == 1)
      let end = try #require(try worker.lines("the worker cannot go on").first)
      #expect(end.text.contains("\(words) is not allowed"))
      #expect(end.text.contains("allow User:ANONYMOUS"))
      #expect(end.text.contains("\(stage.group)-1-"))
      try stage.strike()
    }
  }
}
