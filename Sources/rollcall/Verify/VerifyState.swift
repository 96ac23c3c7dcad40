import Core
import Lab
import Oracle
import Wire
import Worker

/// What of a partition's state is not as a replay of its inputs makes it.
struct VerifyState {
  /// Pieces of state that were compared.
  private(set) var pieces = 0
  /// The pieces that differ, as the workers' state has them or else the replayed one, and what is
  /// different.
  private(set) var differences: [(piece: StateSummary.Piece, text: String)] = []
  /// How often the contract lets the order between the topics decide what a piece says.
  private(set) var exceptions: [OracleVerdict.Exception: Int] = [:]
  /// What does not hold within the state, or between it and the group's offsets.
  private(set) var violations: [String]

  /// The pieces are compared by as many sums of hashes; only where those differ, word by word.
  private static let buckets = 4096

  /// Compares the state of a cut with one that is replayed.
  init(_ cut: VerifyCut, _ folded: Machine, _ replayed: Machine, _ strangers: [String]) {
    violations = cut.violations + strangers
    // Where rules have changed, what was right before may stand above the new limits.
    let ofLimits = (cut.record?.rulesSince ?? 0) == 0
    violations += folded.violations(ofLimits: ofLimits).map {
      "state of partition \(cut.partition): \($0)"
    }
    let offsets = zip(cut.committed, cut.record.map { Array($0.nextOffsets) } ?? [])
    for (topic, (committed, kept)) in zip(Topic.inputs, offsets) {
      // The group may have forgotten offsets, and knows no others than the state's.
      guard let committed, committed != kept else { continue }
      violations.append(
        "partition \(cut.partition): \(topic.defaultName) is committed to \(committed), and "
          + "applied to \(kept) in the state")
    }
    var sums = [Int](repeating: 0, count: Self.buckets)
    StateSummary.forEachPiece(folded) { piece in
      pieces += 1
      sums[Self.bucket(piece)] &+= Self.hash(piece)
    }
    StateSummary.forEachPiece(replayed) { sums[Self.bucket($0)] &-= Self.hash($0) }
    guard sums.contains(where: { $0 != 0 }) else { return }
    var others: [String: StateSummary.Piece] = [:]
    StateSummary.forEachPiece(replayed) { piece in
      if sums[Self.bucket(piece)] != 0 { others[piece.name] = piece }
    }
    StateSummary.forEachPiece(folded) { piece in
      guard sums[Self.bucket(piece)] != 0 else { return }
      let other = others.removeValue(forKey: piece.name)?.text
      if other != piece.text {
        differences.append((piece, "\(piece.text), replayed: \(other ?? "nothing")"))
      }
    }
    for (_, piece) in others.sorted(by: { $0.key < $1.key }) {
      differences.append((piece, "nothing, replayed: \(piece.text)"))
    }
  }

  /// Grants what the order between the topics may decide, of the conversations that an oracle has
  /// looked at.
  mutating func grant(_ oracle: borrowing Oracle) {
    var left: [(piece: StateSummary.Piece, text: String)] = []
    for difference in differences {
      let conversation = difference.piece.conversation
      let exception =
        switch difference.piece.subject {
        case .conversation: oracle.exception(in: conversation, message: nil, thread: nil)
        case .message(let id): oracle.exception(in: conversation, message: id, thread: nil)
        case .thread(let id): oracle.exception(in: conversation, message: nil, thread: id)
        }
      if let exception {
        exceptions[exception, default: 0] += 1
      } else {
        left.append(difference)
      }
    }
    differences = left
  }

  private static func bucket(_ piece: StateSummary.Piece) -> Int {
    Int(truncatingIfNeeded: UInt(bitPattern: piece.conversation.hashValue) % UInt(buckets))
  }

  private static func hash(_ piece: StateSummary.Piece) -> Int {
    var hasher = Hasher()
    hasher.combine(piece.name)
    hasher.combine(piece.text)
    return hasher.finalize()
  }
}
