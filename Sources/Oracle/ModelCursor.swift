/// Where a member's unread cursor stands in a list.
struct ModelCursor {
  private(set) var id: Int64 = 0
  /// The highest id that a `read` put it on.
  private(set) var lastRead: Int64 = 0
  private var newestRead: Int64?
  private var newestUnread: Int64?

  /// A `read` up to an id. An `unread` of a later time stands against it.
  mutating func read(_ id: Int64, at time: Int64) {
    newestRead = max(newestRead ?? time, time)
    if let newestUnread, newestUnread > time { return }
    guard id >= self.id else { return }
    self.id = id
    lastRead = max(lastRead, id)
  }

  /// An `unread` of an id. A `read` of a later time stands against it.
  mutating func unread(_ id: Int64, at time: Int64) {
    newestUnread = max(newestUnread ?? time, time)
    if let newestRead, newestRead > time { return }
    self.id = id
  }
}

/// A member's cursors.
struct ModelCursors {
  /// Where it stands in a list of which the member has said nothing.
  private var elsewhere = ModelCursor()
  private var own = ModelByList<ModelCursor>()

  subscript(list: Int64) -> ModelCursor {
    get { own[list] ?? elsewhere }
    set { own[list] = newValue }
  }

  /// A `read` of the whole conversation counts in every list, whatever is known of it.
  mutating func readEverywhere(at time: Int64) {
    elsewhere.read(0, at: time)
    for list in own.lists { own[list]?.read(0, at: time) }
  }

  mutating func forget(_ thread: Int64) { own[thread] = nil }
}
