import Core

/// The kinds of values that options have, each with its reader and its form for people.
extension Option {
  /// One value of any type, with its reader, which gives nil for what is not allowed, and its form.
  static func value<Value>(
    _ name: String, _ metavar: String, _ path: WritableKeyPath<Settings, Value>, allowed: String,
    help: String, read: @escaping (String) -> Value?, show: @escaping (Value) -> String
  ) -> Option {
    Option(
      name: name, metavar: metavar, help: help,
      set: { settings, text throws(BadValue) in
        guard let value = read(text) else { throw BadValue(allowed: allowed) }
        settings[keyPath: path] = value
      }, show: { show($0[keyPath: path]) })
  }

  /// Any text that is not empty.
  static func text(
    _ name: String, _ metavar: String, _ path: WritableKeyPath<Settings, String>,
    mayBeEmpty: Bool = false, help: String
  ) -> Option {
    .value(
      name, metavar, path, allowed: "a text, not empty", help: help,
      read: { mayBeEmpty || !$0.isEmpty ? $0 : nil }, show: { $0 })
  }

  /// A whole number inside a range.
  static func number(
    _ name: String, _ metavar: String, _ path: WritableKeyPath<Settings, Int>,
    in range: ClosedRange<Int>, help: String
  ) -> Option {
    .value(
      name, metavar, path,
      allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)", help: help,
      read: { Int($0).flatMap { range.contains($0) ? $0 : nil } }, show: { String($0) })
  }

  /// What stands for a duration in `--help`.
  static var durationMetavar: String { "DURATION" }

  /// A duration, held in milliseconds.
  static func duration(
    _ name: String, _ path: WritableKeyPath<Settings, Int64>,
    in range: ClosedRange<Int64> = 0...Int64.max,
    help: String
  ) -> Option {
    let most = range.upperBound == .max ? "" : " to \(DurationText.text(range.upperBound))"
    return .value(
      name, durationMetavar, path,
      allowed: "a duration such as 250ms, 30s, 5m, 1h or 7d, from "
        + DurationText.text(range.lowerBound) + most, help: help,
      read: { DurationText.milliseconds($0).flatMap { range.contains($0) ? $0 : nil } },
      show: DurationText.text)
  }

  /// One of the words that an enumeration has.
  static func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, _ path: WritableKeyPath<Settings, Choice>, help: String
  ) -> Option where Choice.RawValue == String {
    let words = Choice.allCases.map(\.rawValue)
    return .value(
      name, words.joined(separator: "|"), path, allowed: words.joined(separator: ", "), help: help,
      read: { Choice(rawValue: $0) }, show: \.rawValue)
  }

  /// Yes or no, the value always written out.
  static func truth(
    _ name: String, _ path: WritableKeyPath<Settings, Bool>, help: String
  ) -> Option {
    .value(
      name, "true|false", path, allowed: "true, false", help: help, read: { Bool($0) },
      show: { String($0) })
  }

  /// Yes or no, where the option alone means yes.
  static func flag(
    _ name: String, _ path: WritableKeyPath<Settings, Bool>, help: String
  ) -> Option {
    var option = truth(name, path, help: help)
    option.kind = .flag
    return option
  }
}
