/// How far a member has come in a thread.
struct Position {
  var delivered = Watermarks()
  var read = Watermarks()
  var cursor = Cursor()
  var isChanged = false
  var isWritten = false
}

/// A member in a thread.
struct ThreadMember: Hashable, Comparable {
  var slot: Int32
  var parent: Int64

  static func < (a: ThreadMember, b: ThreadMember) -> Bool {
    (a.slot, a.parent) < (b.slot, b.parent)
  }
}
