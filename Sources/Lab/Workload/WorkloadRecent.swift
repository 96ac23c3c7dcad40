/// The newest messages of a conversation, as many as there is room for.
struct WorkloadRecent: Sendable {
  struct Message: Sendable {
    var id: Int64
    /// The sender's number.
    var sender: Int64
    var sentAt: Int64
    var isReply = false
    var isDeleted = false
  }

  private var messages: [Message] = []
  private var capacity = 0
  /// Where the oldest stands, once all room is taken.
  private var oldest = 0

  /// The newest id for which there was no room any more.
  private(set) var lostUpTo: Int64 = 0

  var count: Int { messages.count }

  mutating func reserve(_ capacity: Int) { self.capacity = capacity }

  mutating func append(_ message: Message) {
    if messages.count < capacity {
      messages.append(message)
    } else {
      lostUpTo = messages[oldest].id
      messages[oldest] = message
      oldest = (oldest + 1) % capacity
    }
  }

  /// Counted from the oldest.
  subscript(index: Int) -> Message {
    get { messages[(oldest + index) % messages.count] }
    set { messages[(oldest + index) % messages.count] = newValue }
  }

  /// The index of the first above an id.
  func first(above id: Int64) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].id > id { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
