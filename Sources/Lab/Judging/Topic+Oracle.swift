package import Core
package import Oracle

extension Topic {
  /// The outputs that an oracle judges: all but the workers' state.
  package static let judged: [Topic] = [.events, .actions, .status, .rejected]

  /// The topic as the oracle calls it; not to be asked of the workers' state.
  package var oracleTopic: OracleRecord.Topic {
    switch self {
    case .messages: .messages
    case .receipts: .receipts
    case .deletes: .deletes
    case .events: .events
    case .actions: .actions
    case .status: .status
    case .rejected: .rejected
    case .state: preconditionFailure("an oracle knows nothing of the workers' state")
    }
  }
}

extension Rules {
  /// The rules by the names of the contract, each as an oracle reads it.
  package var texts: [String: String] {
    [
      "maxGroupMembers": "\(maxGroupMembers)", "leavers": leavers.rawValue,
      "threads": threads.rawValue, "trackingWindow": "\(trackingWindow)ms", "grace": "\(grace)ms",
      "enhancedMessagingStatus": "\(enhancedMessagingStatus)",
      "maxWaitingPerConversation": "\(maxWaitingPerConversation)",
      "maxWaitingPerPartition": "\(maxWaitingPerPartition)",
      "maxRecordBytes": "\(maxRecordBytes)", "receiptEvents": receiptEvents.rawValue,
      "unreadEvents": unreadEvents.rawValue,
    ]
  }
}
