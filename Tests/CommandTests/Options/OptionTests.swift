import Core
import Kafka
import Testing
import Worker

@testable import rollcall

@Suite struct OptionTests {
  private func parse(
    _ arguments: [String], _ environment: [String: String] = [:]
  ) throws -> (WorkerSettings, ParsedArguments) {
    try WorkerCommand.parse(arguments) { environment[$0] }
  }

  private func complaint(_ arguments: [String], _ environment: [String: String] = [:]) -> String {
    do throws(any Error) {
      _ = try parse(arguments, environment)
      return "none"
    } catch {
      return (error as? UsageError)?.message ?? "\(error)"
    }
  }

  @Test func `Both forms of a value are taken`() throws {
    let (settings, _) = try parse([
      "--grace", "30s", "--leavers=hold", "--max-group-members=7", "--threads", "separate",
      "--tracking-window=1h", "--enhanced-messaging-status", "false", "--receipt-events=direct",
      "--max-waiting-per-conversation", "8", "--max-waiting-per-partition=9",
      "--max-record-bytes", "10", "--unread-events=requested",
    ])
    var rules = Rules()
    rules.grace = 30_000
    rules.leavers = .hold
    rules.maxGroupMembers = 7
    rules.threads = .separate
    rules.trackingWindow = 3_600_000
    rules.enhancedMessagingStatus = false
    rules.receiptEvents = .direct
    rules.maxWaitingPerConversation = 8
    rules.maxWaitingPerPartition = 9
    rules.maxRecordBytes = 10
    rules.unreadEvents = .requested
    #expect(settings.rules == rules)
  }

  @Test func `The arguments overrule the environment`() throws {
    let environment = ["ROLLCALL_GROUP": "a", "ROLLCALL_COMMIT_INTERVAL": "1s"]
    let (settings, parsed) = try parse(["--group", "b"], environment)
    #expect(settings.group == "b")
    #expect(settings.commitInterval == 1000)
    #expect(parsed.named == ["group"])
  }

  @Test(arguments: [
    (["--static-membership"], true), (["--static-membership=true"], true),
    (["--static-membership", "false"], false), (["--static-membership", "--shards", "2"], true),
    ([], true),
  ])
  func `A flag needs no value`(arguments: [String], isOn: Bool) throws {
    #expect(try parse(arguments).0.staticMembership == isOn)
  }

  @Test(arguments: [
    ("250ms", 250), ("30s", 30_000), ("5m", 300_000), ("1h", 3_600_000), ("7d", 604_800_000),
    ("0s", Int64?.some(0)), ("", nil), ("5", nil), ("m", nil), ("-1s", nil), ("1.5s", nil),
    ("5 m", nil), ("5M", nil), ("9223372036854775807d", nil), ("٣s", nil),
  ])
  func `Durations are read in their units`(text: String, milliseconds: Int64?) {
    #expect(DurationText.milliseconds(text) == milliseconds)
    if let milliseconds, milliseconds > 0 { #expect(DurationText.text(milliseconds) == text) }
  }

  @Test(arguments: [
    (["--gracee", "1s"], "unknown option --gracee; allowed: --bootstrap-servers"),
    (["-x"], "unknown option -x"),
    (["--grace", "soon"], "--grace: bad value 'soon'; allowed: a duration such as 250ms"),
    (["--grace"], "--grace needs a value: DURATION"),
    (["--threads=both"], "--threads: bad value 'both'; allowed: inline, separate"),
    (["--shards", "0"], "--shards: bad value '0'; allowed: a whole number from 1 to 256"),
    (["--commit-interval=1h"], "--commit-interval: bad value '1h'; allowed: a duration"),
    (["--enhanced-messaging-status=yes"], "allowed: true, false"),
    (["--skip", "chat.receipts:1"], "allowed: TOPIC:PARTITION:OFFSET"),
    (["--topic", "chat.x=y"], "NAME=OTHER, where NAME is chat.messages"),
    (["--kafka-properties", "/nowhere"], "/nowhere: No such file"),
  ])
  func `What is wrong names the option and what is allowed`(arguments: [String], text: String) {
    let complaint = complaint(arguments)
    #expect(complaint.contains(text), "\(complaint)")
  }

  @Test func `A bad variable of the environment is named`() {
    #expect(
      complaint([], ["ROLLCALL_GRACE": "x"]).hasPrefix("ROLLCALL_GRACE: bad value 'x'; allowed:"))
  }

  @Test func `A secret is never shown`() throws {
    let (settings, _) = try parse(
      ["--kafka", "sasl.password=hunter2", "--kafka=security.protocol=sasl_ssl"],
      ["ROLLCALL_KAFKA": "ssl.key.password=hunter3;linger.ms=3"])
    #expect(settings.connection.properties.map(\.value) == ["hunter3", "3", "hunter2", "sasl_ssl"])
    let shown = WorkerSettings.options.map { $0.show(settings) }.joined(separator: "\n")
    #expect(!shown.contains("hunter"))
    #expect(shown.contains("sasl.password=(hidden)"))
    #expect(shown.contains("security.protocol=sasl_ssl"))
    #expect(!complaint(["--kafka", "hunter4"]).contains("hunter4"))
  }

  @Test func `Secrets on the command line are found`() {
    let arguments = [
      "--kafka", "sasl.password=x", "--kafka=ssl.key.pem=y", "--kafka", "linger.ms=1", "--group",
      "sasl.password=z", "--kafka",
    ]
    #expect(Secrets.properties(on: arguments) == ["sasl.password", "ssl.key.pem"])
  }

  @Test func `A skipped record goes by the topic's own name or its default`() throws {
    let (settings, _) = try parse([
      "--topic-prefix", "x.", "--skip", "x.chat.receipts:3:17", "--skip=chat.deletes:0:1",
    ])
    #expect(
      settings.skips == [
        .init(topic: .receipts, partition: 3, offset: 17),
        .init(topic: .deletes, partition: 0, offset: 1),
      ])
    #expect(throws: UsageError.self) { try parse(["--skip", "chat.events:0:1"]) }
  }

  @Test func `Every option is explained`() {
    let help = Option.help(WorkerSettings.options, defaults: WorkerSettings())
    for option in WorkerSettings.options {
      #expect(help.contains("  --\(option.name)"))
      #expect(help.contains("[\(option.variable)"))
    }
    #expect(help.contains("[ROLLCALL_COMMIT_INTERVAL, default 100ms]"))
    #expect(help.split(separator: "\n").allSatisfy { $0.count <= 100 })
  }

  @Test func `A number of partitions is no list of them`() throws {
    func parse(_ arguments: [String], _ environment: [String: String]) throws -> TopicsSettings {
      try TopicsCommand.parse(arguments) { environment[$0] }.settings
    }
    #expect(try parse(["apply"], ["ROLLCALL_PARTITION_COUNT": "24"]).partitions == 24)
    #expect(try parse(["apply"], ["ROLLCALL_PARTITIONS": "0,1"]).partitions == 0)
    #expect {
      try parse(["apply"], ["ROLLCALL_PARTITIONS": "24"])
    } throws: { error in
      (error as? UsageError)?.message.contains("ROLLCALL_PARTITION_COUNT") == true
    }
    let both = ["ROLLCALL_PARTITIONS": "3", "ROLLCALL_PARTITION_COUNT": "6"]
    #expect(try parse(["check"], both).partitions == 6)
    let named = try parse(["apply", "--partitions", "9"], ["ROLLCALL_PARTITIONS": "3"])
    #expect(named.partitions == 9)
    let help = Option.help(TopicsSettings.options, defaults: TopicsSettings())
    #expect(help.contains("[ROLLCALL_PARTITION_COUNT, default 0]"))
    #expect(VerifySettings.options.map(\.variable).contains("ROLLCALL_PARTITIONS"))
  }

  @Test func `What a duration is stands in the help of what takes one`() {
    let form = "DURATION is a whole number and a unit: 250ms, 30s, 5m, 1h, 7d."
    let takers = [
      Option.help(WorkerSettings.options, defaults: WorkerSettings()),
      Option.help(VerifySettings.options, defaults: VerifySettings()),
      Option.help(LoadSettings.options, defaults: LoadSettings()),
      Option.help(ReplaySettings.options, defaults: ReplaySettings()),
      Option.help(SimSettings.options, defaults: SimSettings()),
    ]
    #expect(takers.allSatisfy { $0.contains(form) })
    #expect(!Option.help(TopicsSettings.options, defaults: TopicsSettings()).contains(form))
  }

  @Test func `Operands and help are told`() throws {
    let (_, parsed) = try parse(["a", "--help", "--", "--b", "-"])
    #expect(parsed.operands == ["a", "--b", "-"])
    #expect(parsed.wantsHelp)
  }
}
