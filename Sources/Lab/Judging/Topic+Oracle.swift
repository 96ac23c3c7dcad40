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
