extension Option {
  /// The part of `--help` that explains the options: name, environment variable, default, meaning.
  static func help(_ options: [Option], defaults: Settings) -> String {
    var lines: [String] = []
    for option in options {
      var head = "  --\(option.name)"
      if case .flag = option.kind {} else { head += " \(option.metavar)" }
      if case .list = option.kind { head += "  (may be repeated)" }
      lines.append(head)
      lines += wrap(option.help)
      let value = option.show(defaults)
      lines.append(
        value.isEmpty
          ? "        [\(option.variable)]" : "        [\(option.variable), default \(value)]")
    }
    lines.append("  --help")
    lines.append("        Shows this.")
    if options.contains(where: { $0.metavar == durationMetavar }) {
      lines += ["", "DURATION is a whole number and a unit: 250ms, 30s, 5m, 1h, 7d."]
    }
    return lines.joined(separator: "\n")
  }

  private static func wrap(_ text: String) -> [String] {
    var lines = [""]
    for word in text.split(separator: " ") {
      if lines[lines.count - 1].count + word.count > 84 { lines.append("") }
      lines[lines.count - 1] += (lines[lines.count - 1].isEmpty ? "" : " ") + word
    }
    return lines.map { "        " + $0 }
  }
}
