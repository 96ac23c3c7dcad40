import Core
import Kafka
import Lab

/// Records of a workload, ready to be sent.
struct LoadBatch {
  /// What the meter is told of some of the records.
  struct Slice {
    /// When each was made; nil for one that is written again.
    var times: ArraySlice<Instant?>
    var bytes: Int
    /// Messages, receipts, deletes.
    var byTopic: PerInput<Int>
  }

  let outgoing = OutgoingRecords()
  private var arena = WorkloadArena()
  private var times: [Instant?] = []
  private var sizes: [(bytes: Int32, topic: InputTopic)] = []

  /// The number of records.
  var count: Int { times.count }

  /// Adds the workload's next records; fewer only at its end.
  mutating func append(_ count: Int, of workload: inout Workload) {
    for _ in 0..<count {
      arena.removeAll()
      guard workload.next(into: &arena) else { return }
      let place = arena.places[0]
      times.append(place.isRepeat ? nil : place.time)
      sizes.append((Int32(place.key.count + place.value.count), place.topic))
      let bytes = arena.bytes.span
      outgoing.append(
        topic: Int(place.topic.rawValue), partition: place.partition,
        key: bytes.extracting(place.key), value: bytes.extracting(place.value))
    }
  }

  /// Forgets the records and keeps the memory.
  mutating func removeAll() {
    outgoing.removeAll()
    times.removeAll(keepingCapacity: true)
    sizes.removeAll(keepingCapacity: true)
  }

  /// What is known of some of the records.
  func slice(_ range: Range<Int>) -> Slice {
    var slice = Slice(times: times[range], bytes: 0, byTopic: [0, 0, 0])
    for (bytes, topic) in sizes[range] {
      slice.bytes += Int(bytes)
      slice.byTopic[topic] += 1
    }
    return slice
  }
}
