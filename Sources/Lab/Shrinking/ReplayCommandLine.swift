/// The command that replays something under given rules.
package struct ReplayCommandLine {
  /// The command, for a shell.
  package let text: String

  /// The command under rules by the contract's names: `maxGroupMembers` is `--max-group-members`.
  package init(_ rules: [String: String]) {
    let words = rules.sorted { $0.key < $1.key }.flatMap { name, value in
      let dashed = name.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
      return ["--\(dashed)", value]
    }
    text = (["rollcall", "replay"] + words).joined(separator: " ")
  }
}
