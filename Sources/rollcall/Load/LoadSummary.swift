import Core
import Lab
import Ops

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
    var fields: [(String, JSONValue)] = [
      ("preset", .text(settings.preset.rawValue)), ("seed", .count(settings.seed)),
      ("partitions", .number(Int64(partitionCount))), ("endedBy", .text(endedBy)),
      ("records", .count(counts.records)), ("messages", .count(counts.byTopic[.messages])),
      ("receipts", .count(counts.byTopic[.receipts])),
      ("deletes", .count(counts.byTopic[.deletes])),
      ("bytes", .count(counts.bytes)), ("undelivered", .count(undelivered)),
      ("seconds", .seconds(elapsed)),
      ("recordsPerSecond", .count(seconds > 0 ? Int(Double(counts.records) / seconds) : 0)),
      ("processorSeconds", .decimal(Double(processorTime) / 1000)),
    ]
    if settings.seesEndToEnd {
      let latencies = counts.endToEnd
      fields += [
        ("announced", .count(counts.announced)), ("measured", .count(latencies.count)),
        ("p50Milliseconds", .count(latencies.percentile(50))),
        ("p99Milliseconds", .count(latencies.percentile(99))),
        ("maxMilliseconds", .count(latencies.count > 0 ? latencies.largest : nil)),
      ]
    }
    if !settings.group.isEmpty { fields.append(("lag", .count(counts.lag.map(Int.init)))) }
    return JSONValue.object(fields).json
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
}
