import CKafka

/// What the group has changed for one of its members.
package enum GroupChange: Equatable, Sendable {
  /// These partitions of the subscribed topics are ours now, and no others.
  case assigned([TopicPartition])
  /// All partitions go; `lost`: others may have them already.
  case revoked(lost: Bool)

  var isAssignment: Bool {
    if case .assigned = self { true } else { false }
  }
}
