enum ModelTracking: Equatable, Sendable {
  enum Reason: String, Sendable {
    case groupTooLarge = "GROUP_TOO_LARGE"
    case rosterUnknown = "ROSTER_UNKNOWN"
    case notRequested = "NOT_REQUESTED"
    case expired = "EXPIRED"
    case deleted = "DELETED"
  }

  case on
  case off(Reason)
  case ended(Reason)
}
