/// What becomes of a partition whose input has a gap.
package enum GapPolicy: String, CaseIterable, Sendable {
  /// It is stopped, and an operator decides.
  case stop
  /// It goes on behind the gap, with its state.
  case `continue`
}
