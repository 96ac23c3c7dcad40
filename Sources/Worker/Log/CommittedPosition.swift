package import Core

/// The positions of one partition's three inputs, with the note that lies beside them.
package struct CommittedPosition: Equatable, Sendable {
  /// The partition's number.
  package var partition: Int32
  /// The next offset of each input; nil where the group has none.
  package var offsets: PerInput<Int64?>
  /// The metadata of the messages topic's offset.
  package var metadata: String

  /// The positions of a partition.
  package init(partition: Int32, offsets: PerInput<Int64?>, metadata: String) {
    self.partition = partition
    self.offsets = offsets
    self.metadata = metadata
  }
}
