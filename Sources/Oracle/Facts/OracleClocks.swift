/// When records were applied at the latest, by the outputs that they, or later ones of their topic,
/// have caused: a worker writes an output after it has applied the record.
///
/// The timestamps of outputs decide nothing: they only tell where a difference cannot be explained
/// by the time that passed.
struct OracleClocks {
  /// The earliest output of each record that has one, in milliseconds.
  private var outputs: [OracleSource: Int64] = [:]
  /// The same of each record or any after it, by topic, in the order of offsets.
  private var latest: [ModelRecord.Topic: [(offset: Int64, at: Int64)]] = [:]

  mutating func note(_ source: OracleSource, at time: Int64?) {
    guard let time else { return }
    outputs[source] = min(outputs[source] ?? time, time)
  }

  /// All outputs have come.
  mutating func settle() {
    for (source, time) in outputs {
      latest[source.topic, default: []].append((source.offset, time))
    }
    outputs.removeAll()
    for topic in latest.keys {
      latest[topic]?.sort { $0.offset < $1.offset }
      var earliest = Int64.max
      for place in (latest[topic] ?? []).indices.reversed() {
        earliest = min(earliest, latest[topic]?[place].at ?? .max)
        latest[topic]?[place].at = earliest
      }
    }
  }

  /// The latest time at which a record can have been applied; nil where nothing tells.
  func latest(_ source: OracleSource) -> Int64? {
    let found = latest[source.topic] ?? []
    let place = found.firstIndex(behindAll: { $0.offset < source.offset })
    return place < found.count ? found[place].at : nil
  }
}
