import CSimdJSON
import Core

/// The checks that a field has to pass, one function for each kind of field.
extension Decoder {
  /// The most bytes of a uid, a guid or a `messageUId`.
  static var maxNameBytes: Int { 128 }

  /// The bytes of a string, which are good until the next record is parsed; of no string, none.
  func bytes(of value: csj_value) -> UnsafeBufferPointer<UInt8> {
    guard value.kind == .string else { return unsafe UnsafeBufferPointer(start: nil, count: 0) }
    return unsafe UnsafeBufferPointer(
      start: csj_text(parser) + Int(value.payload), count: Int(value.count))
  }

  /// Copies the bytes of a string into the event.
  func text(_ value: csj_value, into event: inout Event) -> Text {
    let start = event.text.count
    unsafe event.text.append(contentsOf: bytes(of: value))
    return Text(start: start, count: event.text.count - start)
  }

  /// Whether the field is fit for a uid, guid or `messageUId`.
  func isName(_ value: csj_value) -> Bool {
    value.kind == .string && value.count > 0 && value.count <= Self.maxNameBytes
  }

  /// A required uid, guid or `messageUId`.
  func name(
    _ value: csj_value, _ field: StaticString, into event: inout Event
  ) throws(Invalid) -> Text {
    try checkName(value, field)
    return text(value, into: &event)
  }

  private func checkName(_ value: csj_value, _ field: StaticString) throws(Invalid) {
    guard isName(value) else {
      throw Invalid(
        .badRecord, field: field, message: "A string of 1 to 128 bytes is required here.")
    }
  }

  /// Refuses an optional user who is there without being an object with, if any, a good uid.
  func checkUser(_ user: csj_user, _ field: StaticString) throws(Invalid) {
    guard user.object.kind != .absent else { return }
    guard user.object.kind == .object, user.uid.kind == .absent || isName(user.uid) else {
      throw Invalid(.badRecord, field: field)
    }
  }

  /// Refuses an optional field that is there with another type.
  func check(_ value: csj_value, is kind: csj_kind, _ field: StaticString) throws(Invalid) {
    guard value.kind == .absent || value.kind == kind else {
      throw Invalid(.badRecord, field: field)
    }
  }

  /// A required id.
  func id(_ value: csj_value, _ field: StaticString) throws(Invalid) -> Int64 {
    if value.kind == .absent { throw Invalid(.badRecord, field: field) }
    guard value.kind == .integer, value.payload > 0 else {
      throw Invalid(.invalidMessageId, field: field)
    }
    return value.payload
  }

  /// An optional whole number.
  func integer(_ value: csj_value, _ field: StaticString) throws(Invalid) -> Int64? {
    try check(value, is: .integer, field)
    return value.kind == .absent ? nil : value.payload
  }

  /// An optional time.
  func time(_ value: csj_value, _ field: StaticString) throws(Invalid) -> Instant? {
    if value.kind == .absent { return nil }
    guard let instant = instant(value) else {
      throw Invalid(
        .badRecord, field: field, message: "A time is a number of seconds since 1970.")
    }
    return instant
  }

  /// A number of seconds, to the nearest millisecond; nil where it is none that Int64 can hold. The
  /// lowest Int64 stands for "never" and is left out.
  func instant(_ value: csj_value) -> Instant? {
    switch value.kind {
    case .integer:
      let (milliseconds, overflow) = value.payload.multipliedReportingOverflow(by: 1000)
      return overflow ? nil : Instant(milliseconds: milliseconds)
    case .number:
      let milliseconds = Double(bitPattern: UInt64(bitPattern: value.payload)) * 1000
      guard milliseconds > -0x1p63, milliseconds < 0x1p63 else { return nil }
      // Rounded by hand: `rounded()` would have to be linked from the C library.
      var whole = Int64(milliseconds)
      let rest = milliseconds - Double(whole)
      if rest >= 0.5 { whole += 1 } else if rest <= -0.5 { whole -= 1 }
      return Instant(milliseconds: whole)
    case .absent, .bool, .string, .array, .object:
      return nil
    }
  }

  /// Refuses a record that names no group and no other party; who it is, its key says.
  ///
  /// - Returns: whether it is a group.
  @discardableResult
  func checkReceiver() throws(Invalid) -> Bool {
    try checkName(record.receiverId, "receiverId")
    switch record.receiverType.word {
    case .group: return true
    case .user: return false
    default: throw Invalid(.badRecord, field: "receiverType")
    }
  }

  /// The guid or the other party's uid.
  func receiver(into event: inout Event) throws(Invalid) -> Event.Receiver {
    let isGroup = try checkReceiver()
    let name = text(record.receiverId, into: &event)
    return isGroup ? .group(name) : .user(name)
  }
}
