import Core

/// A record that a chat backend writes.
struct SimulationRecord {
  var topic: InputTopic
  var key: [UInt8]?
  var value: [UInt8]
  /// Its place in the traffic, counted from 0; nil: it is none of it.
  var place: Int?
}
