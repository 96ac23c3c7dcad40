/// The contract's options, by their names there.
struct ModelRules: Sendable {
  var maxGroupMembers = 3000
  var leavers = "release"
  var threads = "inline"
  var trackingWindow: Int64 = 7 * 86_400_000
  var grace: Int64 = 300_000
  var enhancedMessagingStatus = true
  var maxWaitingPerConversation = 10_000
  var maxWaitingPerPartition = 1_000_000
  var maxRecordBytes = 768 * 1024
  var receiptEvents = "all"
  var unreadEvents = "all"

  /// Whether a member who has left is waited for all the same.
  var waitsForLeavers: Bool { leavers == "hold" }

  /// An option that the contract does not have, or a value that it does not allow.
  struct Unknown: Error { var option: String }

  /// Rules from options as a command line has them: names without dashes, values as text.
  init(_ options: [String: String]) throws(Unknown) {
    for (name, value) in options {
      switch name {
      case "maxGroupMembers": maxGroupMembers = try ModelRules.number(name, value)
      case "leavers": leavers = value
      case "threads": threads = value
      case "trackingWindow": trackingWindow = try ModelRules.duration(name, value)
      case "grace": grace = try ModelRules.duration(name, value)
      case "enhancedMessagingStatus": enhancedMessagingStatus = value == "true"
      case "maxWaitingPerConversation":
        maxWaitingPerConversation = try ModelRules.number(name, value)
      case "maxWaitingPerPartition": maxWaitingPerPartition = try ModelRules.number(name, value)
      case "maxRecordBytes": maxRecordBytes = try ModelRules.number(name, value)
      case "receiptEvents": receiptEvents = value
      case "unreadEvents": unreadEvents = value
      default: throw Unknown(option: name)
      }
    }
  }

  private static func number(_ name: String, _ value: String) throws(Unknown) -> Int {
    guard let number = Int(value) else { throw Unknown(option: name) }
    return number
  }

  private static func duration(_ name: String, _ value: String) throws(Unknown) -> Int64 {
    let units: [(String, Int64)] = [
      ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]
    for (unit, milliseconds) in units where value.hasSuffix(unit) {
      guard let number = Int64(value.dropLast(unit.count)) else { continue }
      let (duration, overflow) = number.multipliedReportingOverflow(by: milliseconds)
      if !overflow { return duration }
    }
    throw Unknown(option: name)
  }
}
