/// Why a record of the changelog cannot be understood. A worker that meets one has to stop: what it
/// does not understand it must not overwrite.
package enum StateError: Error, Equatable, Sendable {
  /// Written by a later version of this program.
  case unknownVersion(UInt8)
  /// A kind of piece that this version does not know.
  case unknownKind(UInt8)
  /// The bytes are no piece of state.
  case malformed

  /// A fixed word for metrics and logs.
  package var label: String {
    switch self {
    case .unknownVersion: "state_version"
    case .unknownKind: "state_kind"
    case .malformed: "state_malformed"
    }
  }
}
