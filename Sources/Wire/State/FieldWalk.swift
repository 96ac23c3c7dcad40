import Core

/// A walk over the fields of a piece of state, in the order of its bytes: a reader fills them, a
/// writer appends them. So the form of a piece stands once, in the function that walks over it.
///
/// Numbers are in groups of seven bits, lowest first; signed ones in zigzag; what lies near a known
/// number is the difference to it.
protocol FieldWalk {
  /// What can go wrong: nothing in writing.
  associatedtype Failure: Error

  mutating func byte(_ byte: inout UInt8) throws(Failure)
  mutating func varint(_ number: inout UInt64) throws(Failure)
  mutating func zigzag(_ number: inout Int64) throws(Failure)
  /// Eight bytes, lowest first.
  mutating func fixed(_ number: inout UInt64) throws(Failure)
  /// Bytes after their length.
  mutating func counted(_ bytes: inout [UInt8]) throws(Failure)
  /// One byte of flags, the first one lowest: which fields are there, as given in writing, and as
  /// they are said to be in reading.
  mutating func flags<let count: Int>(
    _ flags: InlineArray<count, Bool>
  ) throws(Failure) -> InlineArray<count, Bool>
  /// The number of elements that follow, as given in writing, and as it is said in reading.
  mutating func count(_ count: Int) throws(Failure) -> Int
  /// In reading, refuses bytes that are no piece of state.
  func require(_ condition: Bool) throws(Failure)
}

/// The numbers that the next ones of a piece are near to.
struct StateBases {
  var id: Int64 = 0
  var sequence: Int64 = 0
  var time: Int64 = 0
}

extension FieldWalk {
  /// Elements after their number. A reader begins with none, and fills the blank one for each.
  @inline(__always) mutating func list<Element>(
    _ list: inout [Element], of blank: Element,
    _ body: (inout Self, inout Element) throws(Failure) -> Void
  ) throws(Failure) {
    for index in 0..<(try count(list.count)) {
      let isKnown = index < list.count
      var element = isKnown ? list[index] : blank
      try body(&self, &element)
      if !isKnown { list.append(element) }
    }
  }

  /// A number as the difference to `base`, of which it becomes the next one.
  @inline(__always) mutating func number(_ number: inout Int64, since base: inout Int64)
    throws(Failure)
  {
    var step = number &- base
    try zigzag(&step)
    base &+= step
    number = base
  }

  /// A number that is there, as a flag has said.
  @inline(__always) mutating func number(_ number: inout Int64?, since base: inout Int64)
    throws(Failure)
  {
    var known = number ?? 0
    try self.number(&known, since: &base)
    number = known
  }

  @inline(__always) mutating func instant(_ instant: inout Instant, since base: inout Int64)
    throws(Failure)
  {
    try number(&instant.milliseconds, since: &base)
  }

  /// A time that is there, as a flag has said.
  @inline(__always) mutating func instant(_ instant: inout Instant?, since base: inout Int64)
    throws(Failure)
  {
    var known = instant ?? Instant(milliseconds: 0)
    try self.instant(&known, since: &base)
    instant = known
  }

  /// A time behind a flag of its own.
  @inline(__always) mutating func instant(_ instant: inout Instant?) throws(Failure) {
    var base: Int64 = 0
    if try flags([instant != nil])[0] { try self.instant(&instant, since: &base) }
  }

  @inline(__always) mutating func int32(_ number: inout Int32) throws(Failure) {
    var base: Int64 = 0
    try int32(&number, since: &base)
  }

  @inline(__always) mutating func int32(_ number: inout Int32, since base: inout Int64)
    throws(Failure)
  {
    var wide = Int64(number)
    try self.number(&wide, since: &base)
    number = Int32(truncatingIfNeeded: wide)
    try require(Int64(number) == wide)
  }

  @inline(__always) mutating func int(_ number: inout Int) throws(Failure) {
    var wide = Int64(number)
    try zigzag(&wide)
    number = Int(wide)
  }

  @inline(__always) mutating func bool(_ flag: inout Bool) throws(Failure) {
    flag = try flags([flag])[0]
  }

  @inline(__always) mutating func text(_ text: inout String) throws(Failure) {
    var bytes = Array(text.utf8)
    try counted(&bytes)
    let valid = String(validating: bytes, as: UTF8.self)
    try require(valid != nil)
    text = valid ?? ""
  }

  /// One of the cases, by its number.
  @inline(__always) mutating func choice<Choice: RawRepresentable<UInt8>>(_ choice: inout Choice)
    throws(Failure)
  {
    var number = choice.rawValue
    try byte(&number)
    let known = Choice(rawValue: number)
    try require(known != nil)
    choice = known ?? choice
  }

  /// One of the cases, by its place among all.
  @inline(__always) mutating func choice<Choice: CaseIterable & Equatable>(
    _ choice: inout Choice
  ) throws(Failure) {
    let all = Choice.allCases
    var place = UInt8(all.prefix { $0 != choice }.count)
    try byte(&place)
    try require(place < all.count)
    choice = all.dropFirst(Int(place)).first ?? choice
  }
}

/// Writes the fields of a piece.
struct StateWriter: FieldWalk {
  var bytes: [UInt8] = []

  @inline(__always) mutating func byte(_ byte: inout UInt8) { bytes.append(byte) }
  @inline(__always) mutating func varint(_ number: inout UInt64) { bytes.append(varint: number) }
  @inline(__always) mutating func zigzag(_ number: inout Int64) {
    bytes.append(varint: UInt64(bitPattern: (number << 1) ^ (number >> 63)))
  }
  @inline(__always) mutating func fixed(_ number: inout UInt64) {
    for place in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))) }
  }
  @inline(__always) mutating func counted(_ bytes: inout [UInt8]) {
    self.bytes.append(counted: bytes)
  }
  @inline(__always) mutating func flags<let count: Int>(
    _ flags: InlineArray<count, Bool>
  ) -> InlineArray<count, Bool> {
    var bits: UInt8 = 0
    for index in flags.indices where flags[index] { bits |= 1 << UInt8(index) }
    bytes.append(bits)
    return flags
  }
  @inline(__always) mutating func count(_ count: Int) -> Int {
    bytes.append(varint: UInt64(count))
    return count
  }
  func require(_ condition: Bool) {}
}
