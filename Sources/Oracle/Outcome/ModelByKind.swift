/// Something for each of the two kinds that a message is waited for.
struct ModelByKind<Value> {
  var delivered: Value
  var read: Value

  subscript(kind: ModelReceiptRecord.Kind) -> Value {
    get { kind == .delivered ? delivered : read }
    set { change(kind) { $0 = newValue } }
  }

  /// Changes one in its place, where a copy would cost.
  mutating func change(_ kind: ModelReceiptRecord.Kind, _ body: (inout Value) -> Void) {
    if kind == .delivered { body(&delivered) } else { body(&read) }
  }
}

extension ModelByKind: Equatable where Value: Equatable {}

extension ModelByKind: Sendable where Value: Sendable {}
