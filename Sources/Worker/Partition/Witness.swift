import Core
import Wire

/// What an input's topic is known by while it is read.
///
/// Where the first record later than a given time lies never changes in one topic: what is added
/// comes behind it. A topic that was deleted, made anew and filled past the position within a
/// moment is read on as if nothing had been, for librdkafka 2.0.2 knows topics by their names only;
/// but it gives another answer to that question.
struct Witness: Equatable {
  /// A record that was applied; it has a timestamp.
  let record: AppliedRecord
  /// Where the first record that is later than this one lay when it was asked for; nil: nowhere
  /// yet.
  let firstLater: Int64?

  /// Whether the topic may be another one, now that it gives this answer.
  func isDoubted(by answer: Int64?) -> Bool {
    guard let firstLater else {
      // Up to this record there was none that is later.
      return answer.map { $0 <= record.offset } ?? false
    }
    return answer != firstLater
  }
}
