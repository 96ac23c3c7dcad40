/// One value of a JSON text.
struct JSONNode: Sendable {
  private let text: JSONText
  private let index: Int

  init(text: JSONText, index: Int) {
    self.text = text
    self.index = index
  }

  private var token: JSONText.Token { text.tokens[index] }

  private var range: Range<Int> { Int(token.range.lowerBound)..<Int(token.range.upperBound) }

  /// The value as it stands in the text.
  var source: Bytes { Bytes(text.bytes[range]) }

  var isNull: Bool { token.kind == .null }

  var isObject: Bool { token.kind == .object }

  var bool: Bool? { token.kind == .bool ? text.bytes[range.lowerBound] == UInt8(ascii: "t") : nil }

  /// A number that is written without fraction or exponent, and inside Int64.
  var int: Int64? {
    guard token.kind == .int else { return nil }
    var value: Int64 = 0
    var digits = text.bytes[range]
    let isNegative = digits.first == UInt8(ascii: "-")
    if isNegative { digits = digits.dropFirst() }
    // Downwards, as the lowest number has no opposite.
    for digit in digits { value = value * 10 - Int64(digit - UInt8(ascii: "0")) }
    return isNegative ? value : -value
  }

  /// Any other number.
  var real: Double? {
    guard token.kind == .real else { return nil }
    return Double(String(decoding: text.bytes[range], as: UTF8.self))
  }

  /// A number of seconds in milliseconds, where these fit.
  var milliseconds: Int64? {
    if let seconds = int {
      let (milliseconds, overflow) = seconds.multipliedReportingOverflow(by: 1000)
      return overflow ? nil : milliseconds
    }
    return real.flatMap { Int64(exactly: ($0 * 1000).rounded()) }
  }

  private var isText: Bool { token.kind == .string || token.kind == .escapedString }

  var string: Bytes? { isText ? text.unescaped(index) : nil }

  /// Whether it is this text.
  func isString(_ other: String) -> Bool { text.isString(index, other) }

  /// The elements of an array.
  var elements: [JSONNode]? {
    guard token.kind == .array else { return nil }
    var nodes: [JSONNode] = []
    var place = index + 1
    while place < Int(token.next) {
      nodes.append(JSONNode(text: text, index: place))
      place = Int(text.tokens[place].next)
    }
    return nodes
  }

  /// The members of an object as they stand there.
  var members: [(name: JSONNode, value: JSONNode)] {
    guard token.kind == .object else { return [] }
    var members: [(name: JSONNode, value: JSONNode)] = []
    var place = index + 1
    while place < Int(token.next) {
      members.append(
        (name: JSONNode(text: text, index: place), value: JSONNode(text: text, index: place + 1)))
      place = Int(text.tokens[place + 1].next)
    }
    return members
  }

  /// A member of an object; of a name that comes twice the last counts.
  subscript(name: String) -> JSONNode? {
    text.member(name, of: index).map { JSONNode(text: text, index: $0) }
  }
}

extension JSON {
  /// The value of a text.
  static func parse(_ text: Bytes) throws(JSONText.Fault) -> JSON {
    JSON(try JSONText(text.bytes).root)
  }

  init(_ node: JSONNode) {
    if let int = node.int {
      self = .int(int)
    } else if let real = node.real {
      self = .real(real)
    } else if let bool = node.bool {
      self = .bool(bool)
    } else if let string = node.string {
      self = .string(string)
    } else if let elements = node.elements {
      self = .array(elements.map { JSON($0) })
    } else if node.isObject {
      var members: [Member] = []
      for (name, value) in node.members {
        let name = name.string ?? ""
        members.removeAll { $0.name == name }
        members.append(Member(name: name, value: JSON(value)))
      }
      self = .object(members)
    } else {
      self = .null
    }
  }
}
