@testable import Histories
@testable import Oracle

/// A fault that is planted into right outputs.
struct PlantedFault: Sendable, CustomStringConvertible {
  var description: String
  /// The counters of which at least one must tell of it.
  var counters: [OracleVerdict.Counter]
  /// Spoils the outputs; nil where there is no place for the fault.
  var plant: @Sendable (Outputs, inout HistoryRandom) -> [OracleRecord]?

  init(
    _ description: String, _ counters: OracleVerdict.Counter...,
    plant: @escaping @Sendable (Outputs, inout HistoryRandom) -> [OracleRecord]?
  ) {
    self.description = description
    self.counters = counters
    self.plant = plant
  }

  /// One of the outputs at some places is lost.
  static func lost(
    _ what: String, _ counter: OracleVerdict.Counter = .missing,
    of places: @escaping @Sendable (Outputs) -> [Int]
  ) -> PlantedFault {
    PlantedFault("\(what) is lost", counter) { outputs, random in
      random.place(places(outputs)).map { outputs.without([$0]) }
    }
  }

  /// One of the outputs at some places comes again.
  static func repeated(
    _ what: String, _ counter: OracleVerdict.Counter = .doubled,
    of places: @escaping @Sendable (Outputs) -> [Int]
  ) -> PlantedFault {
    PlantedFault("\(what) comes again", counter) { outputs, random in
      random.place(places(outputs)).map { outputs.repeating($0) }
    }
  }

  /// One of the outputs at some places has another value.
  static func changed(
    _ description: String, _ counter: OracleVerdict.Counter = .wrong,
    at places: @escaping @Sendable (Outputs) -> [Int], to value: @escaping @Sendable (JSON) -> JSON
  ) -> PlantedFault {
    PlantedFault(description, counter) { outputs, random in
      random.place(places(outputs)).map { outputs.replacing($0, value(outputs.values[$0])) }
    }
  }

  /// Outputs, parsed.
  struct Outputs: Sendable {
    var records: [OracleRecord]
    /// Their values; null where a record has none that is JSON.
    var values: [JSON]

    init(_ records: [OracleRecord]) {
      self.records = records
      values = records.map { $0.topic == .rejected ? .null : JSON.parsed($0.value) ?? .null }
    }

    func places(_ isWanted: (OracleRecord, JSON) -> Bool) -> [Int] {
      records.indices.filter { isWanted(records[$0], values[$0]) }
    }

    /// Where events of these names are.
    func events(_ names: String...) -> [Int] {
      places { record, value in
        record.topic == .events && names.contains(value["event"]?.text?.description ?? "")
      }
    }

    func topic(_ topic: OracleRecord.Topic) -> [Int] {
      places { record, _ in record.topic == topic }
    }

    /// The last status of each message.
    var lastStatuses: [Int] {
      var last: [[UInt8]: Int] = [:]
      for place in topic(.status) { last[records[place].key ?? []] = place }
      return last.values.sorted()
    }

    /// The ids of an announcement.
    func ids(_ place: Int) -> [Int64] {
      guard case .array(let ids)? = values[place]["receipt"]?["messageIds"] else { return [] }
      return ids.compactMap(\.whole)
    }

    func without(_ places: [Int]) -> [OracleRecord] {
      records.indices.filter { !places.contains($0) }.map { records[$0] }
    }

    func repeating(_ place: Int) -> [OracleRecord] { records + [records[place]] }

    /// With one record put before another one.
    func moving(_ place: Int, before other: Int) -> [OracleRecord] {
      var records = records
      let record = records.remove(at: place)
      records.insert(record, at: other < place ? other : other - 1)
      return records
    }

    func replacing(_ place: Int, _ value: JSON) -> [OracleRecord] {
      var records = records
      records[place].value = Array(value.description.utf8)
      return records
    }

    /// With other ids in an announcement, and all that goes with them.
    func announcing(_ ids: [Int64], at place: Int) -> JSON {
      let value = values[place]
      let highest = ids.last ?? 0
      let eventId = value["eventId"]?.text?.description ?? ""
      let stem = eventId.split(separator: "/").dropLast().joined(separator: "/")
      let receipt = value["receipt"]?.adding("messageId", .int(highest))
        .adding("messageIds", .array(ids.map(JSON.int)))
      return value.adding("receipt", receipt)
        .adding("eventId", .string(Bytes("\(stem)/\(highest)")))
    }

    /// With a header changed.
    func replacing(_ place: Int, header: String, _ value: String) -> [OracleRecord] {
      var records = records
      for index in records[place].headers.indices
      where records[place].headers[index].name == header {
        records[place].headers[index].value = value
      }
      return records
    }
  }

  /// The records with offsets that rise again.
  static func renumbered(_ records: [OracleRecord]) -> [OracleRecord] {
    var offsets: [OracleRecord.Topic: Int64] = [:]
    return records.map { record in
      var record = record
      record.offset = offsets[record.topic, default: 0]
      offsets[record.topic, default: 0] += 2
      return record
    }
  }
}

extension HistoryRandom {
  /// One of some places; nil where there are none.
  mutating func place(_ places: [Int]) -> Int? { places.isEmpty ? nil : pick(places) }
}
