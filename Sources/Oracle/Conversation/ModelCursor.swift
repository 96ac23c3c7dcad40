/// Where a member's unread cursor stands in a list.
struct ModelCursor: Equatable {
  private(set) var id: Int64 = 0
  /// The highest id that a `read` put it on.
  private(set) var lastRead: Int64 = 0
  private var newestRead = Int64.min
  private var newestUnread = Int64.min

  init() {}

  /// The cursor of a state that the model begins with.
  init(_ state: OracleStart.Progress) {
    id = state.cursor
    lastRead = state.lastRead
    newestRead = state.newest.read
    newestUnread = state.newest.unread
  }

  /// A `read` up to an id. An `unread` of a later time stands against it.
  mutating func read(upTo id: Int64, at time: Int64) {
    newestRead = max(newestRead, time)
    guard newestUnread <= time, id >= self.id else { return }
    self.id = id
    lastRead = max(lastRead, id)
  }

  /// An `unread` of an id. A `read` of a later time stands against it.
  mutating func unread(_ id: Int64, at time: Int64) {
    newestUnread = max(newestUnread, time)
    if newestRead <= time { self.id = id }
  }
}

/// A member's cursors, of the main list and of threads.
struct ModelCursors: Equatable {
  private var main = ModelCursor()
  private var threads: [Int64: ModelCursor] = [:]
  /// The newest time of a `read` of the whole conversation.
  private var newestOfAll = Int64.min

  subscript(list: Int64) -> ModelCursor {
    list == 0 ? main : threads[list] ?? beginning
  }

  /// Where a thread begins of which the member has said nothing.
  private var beginning: ModelCursor {
    var cursor = ModelCursor()
    cursor.read(upTo: 0, at: newestOfAll)
    return cursor
  }

  /// Says whether the cursor has moved.
  mutating func read(_ list: Int64, upTo id: Int64, at time: Int64) -> Bool {
    let before = self[list].id
    change(list) { $0.read(upTo: id, at: time) }
    return self[list].id != before
  }

  mutating func unread(_ list: Int64, _ id: Int64, at time: Int64) {
    change(list) { $0.unread(id, at: time) }
  }

  /// A `read` of the whole conversation counts in every list, whatever is known of it.
  mutating func readAll(at time: Int64) {
    newestOfAll = max(newestOfAll, time)
    main.read(upTo: 0, at: time)
    for thread in threads.keys { threads[thread]?.read(upTo: 0, at: time) }
  }

  mutating func forget(_ thread: Int64) { threads[thread] = nil }

  /// Takes a cursor of a state that the model begins with.
  mutating func begin(_ cursor: ModelCursor, in list: Int64) {
    if list == 0 { main = cursor } else { threads[list] = cursor }
  }

  mutating func begin(readAllAt time: Int64) { newestOfAll = time }

  private mutating func change(_ list: Int64, _ body: (inout ModelCursor) -> Void) {
    var cursor = self[list]
    body(&cursor)
    if list == 0 { main = cursor } else { threads[list] = cursor }
  }
}
