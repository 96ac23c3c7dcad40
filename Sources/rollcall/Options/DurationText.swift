import Core

/// Durations as people write them: a whole number and a unit.
enum DurationText {
  /// The units, longest first, so that a number is shown in the largest that it fills.
  private static let units: [(name: String, milliseconds: Int64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1000), ("ms", 1),
  ]

  /// Reads `250ms`, `30s`, `5m`, `1h` or `7d`; nil for anything else and beyond Int64.
  static func milliseconds(_ text: String) -> Int64? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let count = Int64(digits),
      let unit = units.first(where: { $0.name == text.dropFirst(digits.count) })
    else { return nil }
    let (milliseconds, overflow) = count.multipliedReportingOverflow(by: unit.milliseconds)
    return overflow ? nil : milliseconds
  }

  /// Writes it in the same form.
  static func text(_ milliseconds: Int64) -> String {
    for unit in units where milliseconds != 0 && milliseconds % unit.milliseconds == 0 {
      return "\(milliseconds / unit.milliseconds)\(unit.name)"
    }
    return "\(milliseconds)ms"
  }
}
