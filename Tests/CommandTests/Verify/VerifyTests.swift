import Core
import Lab
import Oracle
import Testing

@testable import rollcall

@Suite("The options of verify") struct VerifyOptionTests {
  private func parse(_ arguments: [String]) throws -> VerifySettings {
    var settings = VerifySettings()
    _ = try ParsedArguments.parse(
      arguments, environment: { _ in nil }, options: VerifySettings.options, into: &settings)
    return settings
  }

  @Test func `partitions are a list, each named once`() throws {
    #expect(try parse(["--partitions", "3,0", "--partitions=3,7"]).partitions == [3, 0, 7])
  }

  @Test func `a partition is looked at in as many shares as its records need`() throws {
    let settings = try parse(["--share-records", "100"])
    let shares = [0, 1, 100, 101, 1000].map { settings.shares(of: $0) }
    #expect(shares == [1, 1, 1, 2, 10])
  }

  @Test func `the oracle takes every rule that the workers have, with any value`() throws {
    let settings = try parse([
      "--grace", "5s", "--leavers", "hold", "--max-group-members=7", "--threads", "separate",
      "--enhanced-messaging-status", "false", "--receipt-events", "direct",
    ])
    let rules = settings.rules.texts
    #expect(rules.count == Option.rules(\VerifySettings.rules).count)
    #expect(rules["grace"] == "5000ms" && rules["maxGroupMembers"] == "7")
    #expect(rules["enhancedMessagingStatus"] == "false")
    #expect(throws: Never.self) { _ = try Oracle(options: rules, partition: 0) }
    #expect(throws: OracleError.self) {
      _ = try Oracle(options: ["maxGroupMember": "7"], partition: 0)
    }
  }

  @Test(arguments: [
    ["--partitions", "-1"], ["--partitions", "1,"], ["--wait", "soon"], ["--share-records", "0"],
    ["--skip", "chat.events:0:1"], ["--grace"], ["now"],
  ])
  func `what cannot be meant is refused before a broker is asked`(_ arguments: [String]) {
    #expect(VerifyCommand.run(arguments) == ExitCode.usage)
  }

  @Test func `no broker is another thing than a fault`() {
    #expect(VerifyCommand.run(["--bootstrap-servers", "127.0.0.1:1"]) == ExitCode.unavailable)
  }
}
