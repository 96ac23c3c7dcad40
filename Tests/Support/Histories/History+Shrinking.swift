import Lab

@testable import Oracle

extension History {
  /// The most parts of a history that are tried: more than its lines need, and soon done.
  private static let tries = 500

  /// What is wrong with the history, told of the smallest part of it found that is wrong as well:
  /// its lines, the command that replays them, and the one that runs the whole history again.
  ///
  /// - Parameter fault: what is wrong with a history, in words; nil where nothing is. An error that
  ///   it throws is wrong, too.
  /// - Returns: nil where nothing is wrong.
  func failure(_ fault: (History) throws -> String?) -> String? {
    let whole = wrong(fault)
    guard whole != nil else { return nil }
    var tried = 0
    let shortened = shrunk(lines, limit: Self.tries) { part in
      tried += 1
      let found = part.count == lines.count ? whole : with(part).wrong(fault)
      // A part that no longer has what the rest needs is not wrong in the same way.
      return found.map(\.isThrown) == whole.map(\.isThrown)
    }
    let small = with(shortened)
    let words = small.wrong(fault)?.words ?? ""
    let texts = shortened.map(\.text.description)
    return """
      \(words)
      in \(shortened.count) of \(lines.count) lines, after \(tried) tries:
      \(ReplayCommandLine(options).text)
      \(texts.joined(separator: "\n"))
      all of them: \(command)
      """
  }

  private struct Wrong {
    var words: String
    /// It is an error that was thrown.
    var isThrown: Bool
  }

  private func wrong(_ fault: (History) throws -> String?) -> Wrong? {
    do {
      return try fault(self).map { Wrong(words: $0, isThrown: false) }
    } catch {
      return Wrong(words: "throws \(error)", isThrown: true)
    }
  }

  private func with(_ part: [HistoryLine]) -> History {
    History(seed: seed, options: options, lines: part)
  }
}
