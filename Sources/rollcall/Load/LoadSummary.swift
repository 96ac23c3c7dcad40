import Lab

/// What `rollcall load` says in the end.
struct LoadSummary {
  var settings: LoadSettings
  var partitionCount: Int32
  var counts: LoadMeter.Counts
  var elapsed: Duration
  /// In milliseconds.
  var processorTime: Int64
  var endedBy: String
  var undelivered: Int

  /// One line of JSON.
  var json: String {
    let seconds = elapsed / .seconds(1)
    var fields = [
      ("preset", "\"\(settings.preset.rawValue)\""), ("seed", "\(settings.seed)"),
      ("partitions", "\(partitionCount)"), ("endedBy", "\"\(endedBy)\""),
      ("records", "\(counts.records)"), ("messages", "\(counts.byTopic[0])"),
      ("receipts", "\(counts.byTopic[1])"), ("deletes", "\(counts.byTopic[2])"),
      ("bytes", "\(counts.bytes)"), ("undelivered", "\(undelivered)"),
      ("seconds", "\(Double(Int(seconds * 1000)) / 1000)"),
      ("recordsPerSecond", "\(seconds > 0 ? Int(Double(counts.records) / seconds) : 0)"),
      ("processorSeconds", "\(Double(processorTime) / 1000)"),
    ]
    if settings.seesEndToEnd {
      let latencies = counts.endToEnd
      fields += [
        ("announced", "\(counts.announced)"), ("measured", "\(latencies.count)"),
        ("p50Milliseconds", Self.text(latencies.percentile(50))),
        ("p99Milliseconds", Self.text(latencies.percentile(99))),
        ("maxMilliseconds", Self.text(latencies.count > 0 ? latencies.largest : nil)),
      ]
    }
    if !settings.group.isEmpty { fields.append(("lag", Self.text(counts.lag))) }
    return "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
  }

  /// What is to be said where the group has not caught up.
  ///
  /// - Parameter isAsked: a signal has ended the waiting, or kept it from beginning.
  static func remainder(of settings: LoadSettings, lag: Int64?, isAsked: Bool) -> String {
    let left = lag.map { "has a lag of \($0)" } ?? "has a lag that is not known"
    return isAsked
      ? "ended by a signal: group \(settings.group) is not waited for, and \(left)"
      : "group \(settings.group) \(left) after \(DurationText.text(settings.drain))"
  }

  private static func text(_ number: (some BinaryInteger)?) -> String {
    number.map { "\($0)" } ?? "null"
  }
}
