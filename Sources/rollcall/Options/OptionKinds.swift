import Core

/// The kinds of values that options have, each with its reader and its form for people.
extension Option {
  /// Any text that is not empty.
  static func text(
    _ name: String, _ metavar: String, _ path: WritableKeyPath<Settings, String>,
    mayBeEmpty: Bool = false, help: String
  ) -> Option {
    Option(
      name: name, metavar: metavar, help: help,
      set: { settings, value throws(BadValue) in
        guard mayBeEmpty || !value.isEmpty else { throw BadValue(allowed: "a text, not empty") }
        settings[keyPath: path] = value
      }, show: { $0[keyPath: path] })
  }

  /// A whole number inside a range.
  static func number(
    _ name: String, _ metavar: String, _ path: WritableKeyPath<Settings, Int>,
    in range: ClosedRange<Int>, help: String
  ) -> Option {
    Option(
      name: name, metavar: metavar, help: help,
      set: { settings, value throws(BadValue) in
        guard let number = Int(value), range.contains(number) else {
          throw BadValue(allowed: "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        settings[keyPath: path] = number
      }, show: { String($0[keyPath: path]) })
  }

  /// What stands for a duration in `--help`.
  static var durationMetavar: String { "DURATION" }

  /// A duration, held in milliseconds.
  static func duration(
    _ name: String, _ path: WritableKeyPath<Settings, Int64>,
    in range: ClosedRange<Int64> = 0...Int64.max,
    help: String
  ) -> Option {
    Option(
      name: name, metavar: durationMetavar, help: help,
      set: { settings, value throws(BadValue) in
        guard let milliseconds = DurationText.milliseconds(value), range.contains(milliseconds)
        else {
          let most = range.upperBound == .max ? "" : " to \(DurationText.text(range.upperBound))"
          throw BadValue(
            allowed: "a duration such as 250ms, 30s, 5m, 1h or 7d, from "
              + DurationText.text(range.lowerBound) + most)
        }
        settings[keyPath: path] = milliseconds
      }, show: { DurationText.text($0[keyPath: path]) })
  }

  /// One of the words that an enumeration has.
  static func choice<Choice: RawRepresentable & CaseIterable>(
    _ name: String, _ path: WritableKeyPath<Settings, Choice>, help: String
  ) -> Option where Choice.RawValue == String {
    let words = Choice.allCases.map(\.rawValue)
    return Option(
      name: name, metavar: words.joined(separator: "|"), help: help,
      set: { settings, value throws(BadValue) in
        guard let choice = Choice(rawValue: value) else {
          throw BadValue(allowed: words.joined(separator: ", "))
        }
        settings[keyPath: path] = choice
      }, show: { $0[keyPath: path].rawValue })
  }

  /// Yes or no, the value always written out.
  static func truth(
    _ name: String, _ path: WritableKeyPath<Settings, Bool>, help: String
  ) -> Option {
    Option(
      name: name, metavar: "true|false", help: help,
      set: { settings, value throws(BadValue) in
        guard let truth = Bool(value) else { throw BadValue(allowed: "true, false") }
        settings[keyPath: path] = truth
      }, show: { String($0[keyPath: path]) })
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
