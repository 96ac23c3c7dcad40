/// Why a call to the log failed, and what follows.
package struct LogFailure: Error, Equatable, Sendable {
  /// What the worker has to do.
  package enum Disposition: String, CaseIterable, Sendable {
    /// The same call once more.
    case again
    /// Abort the transaction, restore, go on from the committed offsets.
    case abort
    /// Begin with a new producer, restore, go on from the committed offsets.
    case rebuild
    /// The lane that was fetched cannot be read on: take its partition anew, as if it came from
    /// another worker, and see what its lanes are like.
    case retake
    /// Stop: nothing that the worker can do helps.
    case exit
  }

  /// What the worker has to do.
  package var disposition: Disposition
  /// A fixed word for metrics and logs, such as `fenced`.
  package var label: String
  /// One sentence for the operator.
  package var detail: String

  /// A failure and what follows.
  package init(_ disposition: Disposition, label: String, detail: String) {
    self.disposition = disposition
    self.label = label
    self.detail = detail
  }
}

/// The labels on which something depends: what a process ends with, or what follows.
extension LogFailure {
  /// Another producer has taken over the transactional id.
  package static let fenced = "fenced"
  /// A topic is gone, and waited for.
  package static let topicMissing = "topic_missing"
  /// The state is another group's.
  package static let groupDiffers = "group_differs"
  /// The state was made under another rule for threads.
  package static let threadsChanged = "threads_changed"
  /// The topics have another number of partitions than at the start.
  package static let partitionCountChanged = "partition_count_changed"
  /// A piece of state is larger than the changelog takes.
  package static let stateTooLarge = "state_too_large"
}
