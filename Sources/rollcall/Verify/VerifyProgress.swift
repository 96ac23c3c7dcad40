/// How far a verification has come, told on standard error once a second.
final class VerifyProgress {
  /// The records that will be read, as far as is known.
  var expected: Int64 = 0
  /// What is being done.
  var stage = ""
  private(set) var records: Int64 = 0

  private let start = ContinuousClock.now
  private var due: ContinuousClock.Instant
  private var recordsBefore: Int64 = 0
  /// The clock is looked at so seldom: each look costs as much as a record.
  private static let recordsPerLook: Int64 = 256

  init() { due = start + .seconds(1) }

  /// How long it has taken.
  var elapsed: Duration { start.duration(to: .now) }

  /// Notes that a record was read.
  func advance() {
    records += 1
    if records % Self.recordsPerLook == 0 { tellIfDue() }
  }

  /// Tells, when a second has passed.
  func tellIfDue() {
    let now = ContinuousClock.now
    guard now >= due else { return }
    let sinceLast = 1 + due.duration(to: now) / .seconds(1)
    let rate = Double(records - recordsBefore) / sinceLast
    due = now + .seconds(1)
    recordsBefore = records
    Console.tell(line(rate: Int(rate)))
  }

  private func line(rate: Int) -> String {
    let seconds = Int(elapsed / .seconds(1))
    var parts = ["\(seconds) s", "\(records) of \(max(expected, records)) records"]
    parts.append("\(rate) records/s")
    let left = Double(max(0, expected - records))
    if seconds > 0, records > 0 {
      parts.append("\(Int(left * Double(seconds) / Double(records))) s left")
    }
    parts.append(stage)
    return parts.joined(separator: "  ")
  }
}
