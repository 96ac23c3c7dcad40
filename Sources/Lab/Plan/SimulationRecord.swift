import Core

/// A record that a chat backend writes.
struct SimulationRecord {
  var topic: InputTopic
  var key: [UInt8]?
  var value: [UInt8]
}
