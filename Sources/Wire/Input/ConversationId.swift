/// The id of a conversation, which is also the key of its records.
enum ConversationId {
  private static let separator: StaticString = "_user_"
  private static let groupPrefix: StaticString = "group_"

  /// Writes `group_<guid>`.
  static func group(_ guid: UnsafeBufferPointer<UInt8>, into id: inout [UInt8]) {
    id.append(groupPrefix)
    unsafe id.append(contentsOf: guid)
  }

  /// Writes `<a>_user_<b>`, the two uids in byte order.
  static func pair(
    _ one: UnsafeBufferPointer<UInt8>, _ other: UnsafeBufferPointer<UInt8>, into id: inout [UInt8]
  ) {
    let isInOrder = unsafe !other.lexicographicallyPrecedes(one)
    unsafe id.append(contentsOf: isInOrder ? one : other)
    id.append(separator)
    unsafe id.append(contentsOf: isInOrder ? other : one)
  }

  /// Whether a one-to-one id could be read in two ways: as another pair, or as a group.
  static func isAmbiguous(_ id: [UInt8]) -> Bool {
    if id.contains(groupPrefix, at: 0) { return true }
    var separators = 0
    for index in id.indices where id[index] == UInt8(ascii: "_") {
      if id.contains(separator, at: index) { separators += 1 }
    }
    return separators > 1
  }
}

extension [UInt8] {
  /// Whether the text's bytes lie at `index`.
  fileprivate func contains(_ text: StaticString, at index: Int) -> Bool {
    guard index + text.utf8CodeUnitCount <= count else { return false }
    return text.withUTF8Buffer { unsafe self[index...].starts(with: $0) }
  }
}
