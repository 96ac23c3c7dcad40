import Core

/// Writes the workload's records, one after the other, into one piece of memory, and draws whatever
/// is left to chance.
struct WorkloadPen: Sendable {
  let options: WorkloadOptions
  let partitionCount: Int32
  var random: SplitMix64
  /// The workload's own time, in milliseconds of Unix time.
  var now: Int64
  /// Keys and values, side by side.
  var bytes: [UInt8] = []

  /// Of the record in hand.
  private(set) var topic = InputTopic.messages
  private(set) var partition: Int32 = 0
  private(set) var keyStart = 0
  private(set) var valueStart = 0
  /// Whether it may be written late or again.
  private(set) var mayStray = true

  init(
    options: WorkloadOptions, partitionCount: Int32, random: SplitMix64, now: Int64
  ) {
    self.options = options
    self.partitionCount = partitionCount
    self.random = random
    self.now = now
  }

  /// Begins a record; all that is written after it is its value.
  mutating func begin(
    _ topic: InputTopic, key: [UInt8], partition: Int32, mayStray: Bool = true
  ) {
    self.topic = topic
    self.partition = partition
    self.mayStray = mayStray
    keyStart = bytes.count
    bytes.append(contentsOf: key)
    valueStart = bytes.count
  }

  mutating func write(_ text: String) { bytes.append(contentsOf: text.utf8) }

  mutating func write(_ text: [UInt8]) { bytes.append(contentsOf: text) }

  /// Writes a number that is not negative.
  mutating func write(_ number: Int64) {
    var power: Int64 = 1
    while number / power >= 10 { power *= 10 }
    while power > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: number / power % 10))
      power /= 10
    }
  }

  /// Writes a time in seconds, with the milliseconds as a fraction where there are any.
  mutating func write(time: Int64) {
    write(time / 1000)
    let rest = time % 1000
    guard rest > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    for power in [100, 10, 1] as [Int64] {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest / power % 10))
    }
  }

  /// A number from 0 on, below `bound`, which is above 0.
  mutating func below(_ bound: Int) -> Int {
    Int(truncatingIfNeeded: random.next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Whether chance has it.
  mutating func chance(_ share: Share) -> Bool {
    share.perMillion > 0 && below(1_000_000) < share.perMillion
  }
}
