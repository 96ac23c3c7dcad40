import Core
import Lab
import Testing

@testable import rollcall

@Suite("The options of load") struct LoadOptionTests {
  private func parse(
    _ arguments: [String], _ environment: [String: String] = [:]
  ) throws -> LoadSettings {
    try LoadCommand.parse(arguments) { environment[$0] }.settings
  }

  @Test
  func `the preset comes first, wherever it stands, and each other option overrules it`() throws {
    let settings = try parse(["--exact", "40%", "--preset", "campus", "--groups=3"])
    var expected = WorkloadOptions(.campus)
    expected.exact = Share(percent: 40)
    expected.groups = 3
    #expect(settings.mix == expected)
    let another = try parse(["--late", "0.25"], ["ROLLCALL_PRESET": "dirty"])
    #expect(another.preset == .dirty)
    #expect(another.mix.late.perMillion == 2500)
    #expect(another.mix.bad == WorkloadOptions(.dirty).bad)
  }

  @Test(arguments: WorkloadPreset.allCases)
  func `every option shows a value that it takes, and takes it`(_ preset: WorkloadPreset) throws {
    var settings = LoadSettings()
    settings.mix = WorkloadOptions(preset)
    var copy = LoadSettings()
    for option in LoadSettings.options where !option.show(settings).isEmpty {
      try option.set(&copy, option.show(settings))
    }
    #expect(copy.mix == settings.mix)
  }

  @Test(arguments: [
    (["--late", "101%"], "--late"), (["--late", "nan"], "--late"), (["--late", ""], "--late"),
    (["--preset", "huge"], "small, chat, campus, backlog, dirty"),
    (["--prepared"], "--records"), (["--dry-run"], "--records"), (["--drain", "5s"], "--group"),
    (["--smallest-group", "9", "--largest-group", "8"], "--largest-group"), (["now"], "'now'"),
  ])
  func `what cannot be meant is refused by name`(_ arguments: [String], _ word: String) {
    #expect { try parse(arguments) } throws: { error in
      (error as? UsageError)?.message.contains(word) == true
    }
  }
}

@Suite("What load says of a lag that is left") struct LoadRemainderTests {
  @Test func `it names the group, the lag and the time, or the signal`() throws {
    var settings = LoadSettings()
    settings.group = "pool"
    settings.drain = 60_000
    #expect(
      LoadSummary.remainder(of: settings, lag: 7, isAsked: false)
        == "group pool has a lag of 7 after 1m")
    #expect(
      LoadSummary.remainder(of: settings, lag: nil, isAsked: true)
        == "ended by a signal: group pool is not waited for, and has a lag that is not known")
  }
}

@Suite("What load measures") struct LoadMeasureTests {
  @Test func `a percentile is at most an eighth above the value that it stands for`() {
    var histogram = LatencyHistogram()
    #expect(histogram.percentile(50) == nil)
    for milliseconds in 1...1000 { histogram.add(milliseconds) }
    #expect(histogram.count == 1000 && histogram.largest == 1000)
    for (percent, exact) in [(1, 10), (50, 500), (90, 900), (99, 990), (100, 1000)] {
      let percentile = histogram.percentile(percent) ?? 0
      #expect((exact...exact + exact / 8).contains(percentile), "\(percent)")
    }
    var other = LatencyHistogram()
    other.add(.max)
    other.add(-5)
    #expect(other.percentile(50) == 0)
    #expect(other.percentile(100) ?? 0 >= Int(Int32.max))
  }

  @Test func `the time of a record leads to when it was written`() {
    var times = WriteTimes(recordsPerSecond: 100)
    for number in 0..<3_000_000 as Range<Int64> {
      let time = Workload.start.advanced(byMilliseconds: number * 10)
      times.note(time, writtenAt: Int(number))
    }
    func writing(_ milliseconds: Int64) -> Int? {
      times.writing(of: Workload.start.advanced(byMilliseconds: milliseconds))
    }
    #expect(writing(29_999_990) == 2_999_999)
    #expect(writing(20_000_010) == 2_000_001)
    // Whole seconds tell too little; others are too old, or not the workload's.
    #expect(writing(29_999_000) == nil)
    #expect(writing(10) == nil)
    #expect(writing(-10) == nil)
  }
}
