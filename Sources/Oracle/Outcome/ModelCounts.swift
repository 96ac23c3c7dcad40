/// How many have done each kind, and how many are waited for.
struct ModelCounts: Equatable, Sendable {
  var done = ModelByKind(delivered: 0, read: 0)
  var waiting: ModelByKind<Int>

  init(waitingFor count: Int) { waiting = ModelByKind(delivered: count, read: count) }
}
