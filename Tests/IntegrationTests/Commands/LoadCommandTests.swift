import BrokerSupport
import Core
import Foundation
import Lab
import Testing
import Worker

@testable import rollcall

/// `rollcall load` without a broker.
@Suite struct LoadPrintTests {
  @Test
  func `Two processes print the same records for a seed, and those are the workload's`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "rollcall-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { #expect(throws: Never.self) { try FileManager.default.removeItem(at: folder) } }
    let arguments = [
      "load", "--dry-run", "--preset", "dirty", "--seed", "4", "--records", "3000",
      "--largest-group", "20",
    ]
    let first = try Command.run(arguments, in: folder)
    let second = try Command.run(arguments, in: folder)
    #expect(first.code == 0 && first.errors == "")
    #expect(first.output == second.output)
    var options = WorkloadOptions(.dirty)
    options.largestGroup = 20
    var workload = Workload(seed: 4, options: options, partitionCount: 1)
    let lines = first.output.split(separator: "\n")
    #expect(lines.count >= 3000)
    for line in lines.prefix(3000) {
      let printed = try JSONDecoder().decode(PrintedRecord.self, from: Data(line.utf8))
      guard let record = workload.next() else { break }
      #expect(printed.topic == "\(record.topic)")
      #expect(printed.timestamp == record.time.milliseconds)
      #expect(printed.key == String(decoding: record.key, as: UTF8.self))
      #expect(printed.raw == String(decoding: record.value, as: UTF8.self))
    }
  }

  private struct PrintedRecord: Decodable {
    var topic: String
    var timestamp: Int64
    var key: String
    var raw: String
  }
}

extension Integration {
  @Suite struct LoadTests {
    @Test("The topics hold the workload, each partition in its order, and the summary counts it")
    func records() throws {
      let stage = try Stage(Broker.shared(), partitions: 3)
      defer { #expect(throws: Never.self) { try stage.strike() } }
      let options = ["--preset", "dirty", "--largest-group", "30", "--records", "5000"]
      for extra in [[], ["--prepared"]] {
        let load = try stage.run(
          ["load"] + options + extra + ["--seed", extra.isEmpty ? "1" : "2"])
        #expect(load.code == 0, "\(load.errors)")
        let summary = try Summary(load.output)
        #expect(summary.endedBy == "records" && summary.undelivered == 0)
        #expect((5000...5064).contains(summary.records))
      }
      var expected: [[[UInt8]]] = Array(repeating: [], count: 9)
      for seed in [1, 2] as [UInt64] {
        var mix = WorkloadOptions(.dirty)
        mix.largestGroup = 30
        var workload = Workload(seed: seed, options: mix, partitionCount: 3)
        var count = 0
        while let record = workload.next() {
          note(record, &expected)
          count += 1
          if count == 5000 { workload.end() }
        }
      }
      for topic in Topic.inputs {
        for (partition, records) in try stage.read(topic).enumerated() {
          let lane = expected[Int(topic.rawValue) * 3 + partition]
          #expect(records.map { ($0.key ?? []) + ($0.value ?? []) } == lane)
        }
      }
    }

    private func note(_ record: WorkloadRecord, _ lanes: inout [[[UInt8]]]) {
      lanes[Int(record.topic.rawValue) * 3 + Int(record.partition)].append(
        record.key + record.value)
    }

    @Test("With workers it tells the lag, waits for it to be 0, and measures the announcements")
    func endToEnd() throws {
      let stage = try Stage(Broker.shared(), partitions: 2)
      defer { #expect(throws: Never.self) { try stage.strike() } }
      let worker = try WorkerProcess(stage, instance: "a")
      try worker.awaitLine("partitions taken")
      let load = try stage.run([
        "load", "--group", stage.group, "--preset", "chat", "--groups", "20", "--pairs", "5",
        "--rate", "1500", "--duration", "3s", "--drain", "60s",
      ])
      #expect(try worker.terminate() == 0)
      #expect(load.code == 0, "\(load.errors)")
      let summary = try Summary(load.output)
      #expect(summary.endedBy == "duration")
      #expect(summary.lag == 0)
      // A pace is kept from above; how well from below is the machine's affair.
      #expect((500...4700).contains(summary.records))
      let announced = try stage.read(.events).joined().reduce(0) { sum, record in
        try sum + record.announcedIds().count
      }
      #expect(summary.announced == announced && announced > 50)
      let measured = try #require(summary.measured)
      #expect(measured > 10 && measured <= announced)
      let median = try #require(summary.p50Milliseconds)
      let late = try #require(summary.p99Milliseconds)
      #expect(median > 0 && median <= late)
      #expect(load.errors.contains("lag ") && load.errors.contains("records/s"))
    }

    @Test
    func `A lag that is not 0 in time is told, with what is left, and ends it with 75`() throws {
      let stage = try Stage(Broker.shared(), partitions: 1)
      defer { #expect(throws: Never.self) { try stage.strike() } }
      let load = try stage.run([
        "load", "--group", stage.group, "--records", "50", "--drain", "500ms", "--end-to-end",
        "false",
      ])
      #expect(load.code == ExitCode.undecided)
      let summary = try Summary(load.output)
      #expect(summary.lag == summary.records && summary.records >= 50)
      #expect(
        load.errors.hasSuffix("group \(stage.group) has a lag of \(summary.records) after 500ms\n"))
    }

    @Test func `A signal ends it well, with the summary of what was written`() throws {
      let stage = try Stage(Broker.shared(), partitions: 1)
      defer { #expect(throws: Never.self) { try stage.strike() } }
      let output = stage.folder.appending(path: "out")
      let errors = stage.folder.appending(path: "errors")
      let load = try ChildProcess(
        ["load"] + stage.options + ["--rate", "500", "--group", stage.group, "--drain", "1m"],
        output: output, errors: errors)
      try eventually("it writes") {
        try String(contentsOf: errors, encoding: .utf8).contains("records/s")
      }
      load.send(SIGINT)
      #expect(try load.end(within: .seconds(30)) == 0)
      let summary = try Summary(String(contentsOf: output, encoding: .utf8))
      #expect(summary.endedBy == "signal")
      #expect(
        try String(contentsOf: errors, encoding: .utf8).contains(
          "ended by a signal: group \(stage.group) is not waited for, and has a lag "))
      let stored = try Topic.inputs.reduce(0) { sum, topic in
        try sum + stage.read(topic).joined().count
      }
      #expect(summary.records == stored && stored > 0)
    }

    @Test func `Topics that are not there are a configuration error that names them`() throws {
      let stage = try Stage(Broker.shared(), partitions: 1) { topic, _ in topic != .deletes }
      defer { #expect(throws: Never.self) { try stage.strike() } }
      let load = try stage.run(["load", "--records", "1"])
      #expect(load.code == 78)
      #expect(load.errors.contains("\(stage.connection.names[.deletes]) is missing"))
      #expect(load.output == "")
    }
  }
}

/// The line of JSON in the end.
private struct Summary: Decodable {
  var endedBy: String
  var records: Int
  var undelivered: Int
  var announced: Int?
  var measured: Int?
  var p50Milliseconds: Int?
  var p99Milliseconds: Int?
  var lag: Int?

  init(_ text: String) throws {
    self = try JSONDecoder().decode(Summary.self, from: Data(text.utf8))
  }
}
