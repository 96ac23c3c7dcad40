import Lab

/// The places in a seed's traffic whose records are written, as people write them: `3,17..20`.
enum SimPlaces {
  /// What stands for no place at all.
  private static let none = "none"
  /// No traffic has more records, by the bound of `--records` and a few.
  private static let highest: UInt64 = 10_000_100

  /// The option that names them.
  static var option: Option<SimSettings> {
    Option(
      name: "keep", metavar: "PLACES",
      help: "Writes only these of a seed's records, such as 3,17..20, or none: those that --shrink "
        + "has left.",
      set: { settings, value throws(BadValue) in
        guard let places = parsed(value) else {
          throw BadValue(allowed: "numbers and ranges, such as 3,17..20, or none")
        }
        settings.simulation.keptPlaces = places
      }, show: { $0.simulation.keptPlaces.map(text) ?? "" })
  }

  /// Places as `--keep` reads them.
  static func text(_ places: Set<Int>) -> String {
    guard !places.isEmpty else { return none }
    var runs: [ClosedRange<Int>] = []
    for place in places.sorted() {
      if let last = runs.last, last.upperBound + 1 == place {
        runs[runs.count - 1] = last.lowerBound...place
      } else {
        runs.append(place...place)
      }
    }
    return runs.map { run in
      run.count == 1 ? "\(run.lowerBound)" : "\(run.lowerBound)..\(run.upperBound)"
    }.joined(separator: ",")
  }

  private static func parsed(_ text: String) -> Set<Int>? {
    guard text != none else { return [] }
    var places: Set<Int> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      let range = UInt64(part).map { $0...$0 } ?? SimSettings.range(part)
      guard let range, range.upperBound <= highest else { return nil }
      places.formUnion(Int(range.lowerBound)...Int(range.upperBound))
    }
    return places
  }
}
