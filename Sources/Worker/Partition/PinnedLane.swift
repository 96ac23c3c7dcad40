package import Core

/// A lane that an open transaction upstream holds back, and its partition with it.
///
/// Nothing from the stable offset on is given out before that transaction ends.
package struct PinnedLane: Equatable, Sendable {
  /// The lane.
  package var lane: Lane
  /// The last stable offset: the first one that is held back.
  package var stableOffset: Int64
  /// Where the lane really ends.
  package var endOffset: Int64
  /// Since when the worker has been waiting there.
  package var since: Instant
}

/// What holds a lane where it is.
struct Pin {
  /// The first offset that is held back.
  let stableOffset: Int64
  /// Where the lane really ends.
  var endOffset: Int64
  let since: StepTime

  init(stableOffset: Int64, since: StepTime) {
    self.stableOffset = stableOffset
    endOffset = stableOffset
    self.since = since
  }
}
