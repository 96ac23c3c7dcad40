/// The topics of the contract: the inputs, in the order in which records of one timestamp are
/// applied, then what is written.
package enum Topic: UInt8, CaseIterable, Sendable {
  case messages, receipts, deletes, events, actions, status, rejected, state

  /// The topic that an input is.
  package init(_ input: InputTopic) {
    switch input {
    case .messages: self = .messages
    case .receipts: self = .receipts
    case .deletes: self = .deletes
    }
  }

  /// The input that it is; nil where it is written.
  package var input: InputTopic? { InputTopic(rawValue: rawValue) }

  /// The topics that are applied.
  package static let inputs = InputTopic.allCases.map { Topic($0) }

  /// The topics that are written.
  package static let outputs = allCases.filter { $0.input == nil }

  /// The name that the contract gives to it.
  package var defaultName: String { self == .state ? "rollcall.state" : "chat.\(self)" }
}

/// The topics that are applied, in the order of the contract: records of one timestamp are applied
/// in it.
package enum InputTopic: UInt8, CaseIterable, Sendable {
  case messages, receipts, deletes
}

/// One value for each input.
package struct PerInput<Value> {
  private var messages: Value
  private var receipts: Value
  private var deletes: Value

  /// What `value` says of each input.
  package init<E: Error>(_ value: (InputTopic) throws(E) -> Value) throws(E) {
    messages = try value(.messages)
    receipts = try value(.receipts)
    deletes = try value(.deletes)
  }

  /// The value for one input.
  package subscript(topic: InputTopic) -> Value {
    get {
      switch topic {
      case .messages: messages
      case .receipts: receipts
      case .deletes: deletes
      }
    }
    _modify {
      switch topic {
      case .messages: yield &messages
      case .receipts: yield &receipts
      case .deletes: yield &deletes
      }
    }
  }

  /// What `transform` makes of the value for each input.
  package func map<Other, E: Error>(
    _ transform: (Value) throws(E) -> Other
  ) throws(E) -> PerInput<Other> {
    try PerInput<Other> { topic throws(E) in try transform(self[topic]) }
  }
}

extension PerInput: Sequence {
  /// Gives the values in the order of the inputs.
  package func makeIterator() -> IndexingIterator<[Value]> {
    [messages, receipts, deletes].makeIterator()
  }
}

extension PerInput: ExpressibleByArrayLiteral {
  /// Of messages, receipts and deletes, in this order.
  package init(arrayLiteral values: Value...) {
    precondition(values.count == InputTopic.allCases.count, "one value for each input")
    self.init { topic in values[Int(topic.rawValue)] }
  }
}

extension PerInput: Equatable where Value: Equatable {}
extension PerInput: Sendable where Value: Sendable {}
