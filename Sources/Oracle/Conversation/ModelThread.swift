/// The replies to one message.
final class ModelThread {
  /// Those that are known, rising by id.
  private(set) var replies = ModelSorted<ModelMessage>()
  /// Those that are not deleted, whether they are known still or not.
  private var standing: Set<Int64> = []
  /// Those besides that had expired before the model began.
  private var earlier = 0
  /// Only a scope decides whether some reply is deleted.
  var isExcepted = false

  /// How many are not deleted.
  var count: Int { standing.count + earlier }

  /// The last one that is known and not deleted.
  var last: ModelMessage? { replies.all.last { $0.deletion == nil } }

  /// Takes what is counted in a state that the model begins with.
  func begin(at count: Int64?) { earlier = count.map { Int($0) - standing.count } ?? 0 }

  func add(_ reply: ModelMessage) {
    replies.insert(reply)
    if reply.deletion == nil { standing.insert(reply.id) }
  }

  func delete(_ reply: ModelMessage) { standing.remove(reply.id) }

  /// A reply has expired; it counts all the same.
  func expire(_ reply: ModelMessage) { replies.remove(reply.id) }
}
