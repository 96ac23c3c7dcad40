/// A record of an input topic as it lies there. Times are milliseconds.
struct ModelInput: Sendable {
  var topic: ModelRecord.Topic
  var partition: Int32
  var offset: Int64
  var timestamp: Int64?
  var key: [UInt8]?
  var value: [UInt8]?

  /// The key is longer than any conversation's id: it is not looked at, and left out where the
  /// record is passed on.
  var hasOverlongKey: Bool { key?.count ?? 0 > 1024 }
}
