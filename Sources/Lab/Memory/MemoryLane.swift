import Core

/// A record as a reader of an in-memory log sees it.
struct MemoryRecord: Equatable, Sendable {
  var offset: Int64
  /// When it was written.
  var timestamp: Instant?
  var key: [UInt8]?
  /// Its value; nil is a tombstone.
  var value: [UInt8]?
  var headers: [String: String]
}

/// One topic-partition in memory: records, and the marks that end transactions, each at an offset.
struct MemoryLane {
  /// What lies at an offset.
  private struct Entry {
    /// nil: the mark at the end of a transaction, which no reader is given.
    var record: MemoryRecord?
    var offset: Int64
    /// The transaction that wrote it; nil: none did.
    var transaction: Int?
  }

  /// What a read gives: records, and where the next read goes on.
  struct Reading {
    var records: [MemoryRecord]
    var nextOffset: Int64
    /// Nothing more is given out before an open transaction has ended.
    var reachedEnd: Bool
    /// Where the lane ends, open transactions included.
    var end: Int64
  }

  /// The first offset that can be read.
  private(set) var start: Int64 = 0
  /// The offset of the next entry.
  private(set) var end: Int64 = 0
  private var entries: [Entry] = []
  /// The first offset of each transaction that is open here.
  private var openings: [Int: Int64] = [:]

  /// The end of what can be read: nothing is given out from the first open transaction on.
  var stableEnd: Int64 { openings.values.min() ?? end }

  mutating func append(_ record: MemoryRecord, transaction: Int?) {
    var record = record
    record.offset = end
    if let transaction, openings[transaction] == nil { openings[transaction] = end }
    entries.append(Entry(record: record, offset: end, transaction: transaction))
    end += 1
  }

  /// Ends a transaction here.
  mutating func appendMark(transaction: Int) {
    openings[transaction] = nil
    entries.append(Entry(record: nil, offset: end, transaction: transaction))
    end += 1
  }

  /// Reads what is not aborted, to a stable end; nil: to the very end.
  func read(
    from offset: Int64, limit: Int, aborted: Set<Int>, stableEnd: Int64?
  ) -> Reading {
    let stable = stableEnd ?? end
    var reading = Reading(
      records: [], nextOffset: min(offset, stable), reachedEnd: true, end: end)
    // Entries lie in the order of their offsets, compaction or not.
    var index = entries.partitioningIndex { $0.offset >= offset }
    while index < entries.count, entries[index].offset < stable {
      let entry = entries[index]
      let isVisible = !(entry.transaction.map(aborted.contains) ?? false)
      if let record = entry.record, isVisible {
        if reading.records.count == limit {
          reading.reachedEnd = false
          return reading
        }
        reading.records.append(record)
      }
      reading.nextOffset = entry.offset + 1
      index += 1
    }
    reading.nextOffset = max(reading.nextOffset, stable)
    return reading
  }

  /// Where the first record lies that is later than a time, open transactions included.
  func firstOffset(after time: Instant) -> Int64? {
    entries.first { ($0.record?.timestamp).map { $0 > time } ?? false }?.offset
  }

  /// Keeps the last record of each key, no marks and nothing that was aborted; what lies behind the
  /// stable end stays as it is.
  mutating func compact(aborted: Set<Int>, keepsTombstones: Bool) {
    var last: [[UInt8]: Int64] = [:]
    let stable = stableEnd
    let live = entries.filter { !($0.transaction.map(aborted.contains) ?? false) }
    for entry in live where entry.offset < stable {
      if let record = entry.record, let key = record.key { last[key] = entry.offset }
    }
    entries = live.filter { entry in
      guard entry.offset < stable else { return true }
      guard let record = entry.record, let key = record.key else { return false }
      guard record.value != nil || keepsTombstones else { return false }
      return last[key] == entry.offset
    }
  }

  /// Deletes what lies below an offset.
  mutating func truncate(before offset: Int64) {
    start = max(start, min(offset, end))
    entries.removeAll { $0.offset < start }
  }
}

extension Array {
  /// The first index whose element meets a condition that all later ones meet too.
  fileprivate func partitioningIndex(where isBehind: (Element) -> Bool) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = low + (high - low) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
