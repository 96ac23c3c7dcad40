/// How near a word is to the words that are known.
enum Nearness {
  /// A word that is further away is no slip: something else was meant.
  private static let most = 2

  /// The known word that is meant, of equally near ones the first; nil: none is near.
  static func nearest(to word: String, among known: [String]) -> String? {
    known.map { (word: $0, distance: distance(word, $0)) }.filter { $0.distance <= most }
      .min { $0.distance < $1.distance }?.word
  }

  /// How many characters have to be put in, left out, replaced or swapped with the next one.
  private static func distance(_ word: String, _ known: String) -> Int {
    let (a, b) = (Array(word), Array(known))
    guard abs(a.count - b.count) <= most else { return .max }
    var rows = [Array(0...b.count)]
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var least = min(rows[i][j] + (a[i] == b[j] ? 0 : 1), rows[i][j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          least = min(least, rows[i - 1][j - 1] + 1)
        }
        row.append(least)
      }
      rows.append(row)
    }
    return rows[a.count][b.count]
  }
}

extension UsageError {
  /// A word that is none of the allowed ones.
  ///
  /// - Parameters:
  ///   - complaint: the sentence before the list.
  ///   - allowed: the words of the list, in its order.
  ///   - besides: words that are taken as well.
  init(_ complaint: String, _ word: String, allowed: [String], besides: [String] = []) {
    message = "\(complaint); allowed: \(allowed.joined(separator: ", "))"
    if let near = Nearness.nearest(to: word, among: allowed + besides) {
      message += "; did you mean \(near)?"
    }
  }
}

extension ParsedArguments {
  /// The one word that says what a command is to do.
  func verb<Verb: RawRepresentable & CaseIterable>(
    of command: String
  ) throws(UsageError) -> Verb where Verb.RawValue == String {
    if operands.count == 1, let verb = Verb(rawValue: operands[0]) { return verb }
    throw UsageError(
      "\(([command] + operands).joined(separator: " ")): one verb, please",
      operands.count == 1 ? operands[0] : "", allowed: Verb.allCases.map(\.rawValue))
  }
}
