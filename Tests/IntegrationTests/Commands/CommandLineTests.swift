import Foundation
import Testing

/// What every command says without a broker.
@Suite struct CommandLineTests {
  private func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Command {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "rollcall-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    return try Command.run(arguments, environment: environment, in: folder)
  }

  @Test func `The program says what it can do and which one it is`() throws {
    for arguments in [["--help"], ["help"], ["-h"]] {
      let help = try run(arguments)
      #expect(help.code == 0)
      for command in ["worker", "replay", "topics", "load", "sim"] {
        #expect(help.output.contains(command))
      }
    }
    let version = try run(["--version"])
    #expect(version.code == 0)
    #expect(version.output.hasPrefix("rollcall 0."))
  }

  @Test(arguments: ["worker", "replay", "topics", "load", "sim"])
  func `Every command explains itself`(command: String) throws {
    let help = try run([command, "--help"])
    #expect(help.code == 0)
    #expect(help.output.hasPrefix("usage: rollcall \(command)"))
    #expect(help.errors == "")
    #expect(try run(["help", command]).output == help.output)
  }

  @Test(arguments: [
    ([], ["no command"]),
    (["wroker"], ["wroker", "worker, replay, topics"]),
    (["worker", "--gruop", "a"], ["--gruop", "--group"]),
    (["worker", "--shards", "0"], ["--shards", "'0'", "256"]),
    (["worker", "--leavers=maybe"], ["--leavers", "'maybe'", "release", "hold"]),
    (["worker", "--grace", "5"], ["--grace", "'5'"]),
    (["worker", "--skip", "chat.events:0:1"], ["--skip", "chat.events", "chat.receipts"]),
    (["worker", "--skip", "chat.receipts"], ["--skip", "TOPIC:PARTITION:OFFSET"]),
    (["worker", "--topic", "chat.massages=x"], ["--topic", "chat.messages"]),
    (["worker", "--group"], ["--group", "needs a value"]),
    (["worker", "now"], ["'now'"]),
    (["replay", "--grace", "soon"], ["--grace", "'soon'"]),
    (["topics", "destroy"], ["destroy", "apply"]),
    (["load", "--exact", "half"], ["--exact", "'half'", "0%"]),
  ])
  func `What cannot be meant is refused with 64, by name and with what is allowed`(
    arguments: [String], words: [String]
  ) throws {
    let refusal = try run(arguments)
    #expect(refusal.code == 64)
    #expect(refusal.output == "")
    for word in words { #expect(refusal.errors.contains(word)) }
  }

  @Test func `A bad value in the environment is refused by the variable's name`() throws {
    let refusal = try run(["worker"], ["ROLLCALL_COMMIT_INTERVAL": "never"])
    #expect(refusal.code == 64)
    #expect(refusal.errors.contains("ROLLCALL_COMMIT_INTERVAL"))
  }

  @Test(arguments: [
    ("session.timeout.ms=7000", ["transaction.timeout.ms (8000", "session.timeout.ms (7000"]),
    ("message.timeout.ms=9000", ["message.timeout.ms (9000", "transaction.timeout.ms (8000"]),
    ("max.poll.interval.ms=10000", ["session.timeout.ms", "max.poll.interval.ms"]),
    ("enable.auto.commit=true", ["enable.auto.commit"]),
    ("no.such.property=1", ["no.such.property"]),
    ("security.protocol=SASL_SSL", ["security.protocol=SASL_SSL needs sasl.mechanism"]),
  ])
  func `Timeouts out of order are a configuration error that names both`(
    property: String, words: [String]
  ) throws {
    let refusal = try run(["worker", "--kafka", property])
    #expect(refusal.code == 78)
    for word in words { #expect(refusal.errors.contains(word)) }
  }

  @Test
  func `Without a broker a worker with a --start-timeout ends with 69 and the address`() throws {
    let end = try run(["worker", "--bootstrap-servers", "127.0.0.1:1", "--start-timeout", "1s"])
    #expect(end.code == 69)
    #expect(end.errors.contains("Kafka has not answered in time"))
    #expect(end.errors.contains("127.0.0.1:1"))
    #expect(end.errors.contains("Connection refused"))
  }

  @Test(arguments: [
    ["--version"], ["worker", "--help"], ["topics", "list"],
    ["load", "--dry-run", "--records", "1000"], ["sim", "--seeds", "1..1"],
    ["replay"],
  ])
  func `Where the reader of standard output has gone, a command ends quietly with 141`(
    arguments: [String]
  ) throws {
    let process = Process()
    let (output, errors, input) = (Pipe(), Pipe(), Pipe())
    process.executableURL = ChildProcess.program
    process.arguments = arguments
    process.standardInput = input
    process.standardOutput = output
    process.standardError = errors
    try output.fileHandleForReading.close()
    try process.run()
    let record = """
      {"topic":"messages","value":{"id":1,"sender":{"uid":"u1"},"receiverId":"g1",\
      "receiverType":"group","category":"message","sentAt":1735689600}}
      """
    input.fileHandleForWriting.write(Data("\(record)\n".utf8))
    try input.fileHandleForWriting.close()
    let complaint = errors.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 141)
    #expect(String(decoding: complaint, as: UTF8.self) == "")
  }

  @Test("A file that cannot be read is 66, and a line of another form is 2 with its number")
  func replayInputs() throws {
    let missing = try run(["replay", "/no/such/file"])
    #expect(missing.code == 66)
    #expect(missing.errors.contains("/no/such/file"))
    let file = FileManager.default.temporaryDirectory.appending(
      path: "rollcall-\(UUID().uuidString).jsonl")
    try Data("\n{\"tick\":1}\n{\"tock\":1}\n".utf8).write(to: file)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: file) } }
    let malformed = try run(["replay", file.path])
    #expect(malformed.code == 2)
    #expect(malformed.errors.contains("line 2"))
  }
}
