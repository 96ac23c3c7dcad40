/// A record of an input topic as it lies there. Times are milliseconds.
struct ModelInput: Sendable {
  var topic: ModelRecord.Topic
  var partition: Int32
  var offset: Int64
  var timestamp: Int64?
  var key: [UInt8]?
  var value: [UInt8]?
}
