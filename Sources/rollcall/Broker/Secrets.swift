import Kafka

/// What must never be shown.
enum Secrets {
  /// Parts of the names of properties whose values nobody should see.
  private static let marks = ["password", "secret", "key", "jaas", "token", "credential", "pem"]

  /// Whether the value of a librdkafka property has to stay hidden.
  static func isSecret(_ property: String) -> Bool {
    let name = property.lowercased()
    return marks.contains { name.contains($0) } || name == "sasl.oauthbearer.config"
  }

  /// A property as an operator may see it.
  static func shown(_ property: Property) -> String {
    "\(property.name)=\(isSecret(property.name) ? "(hidden)" : property.value)"
  }

  /// The secret properties on a command line, which every user of the machine can read there.
  static func properties(on arguments: [String]) -> [String] {
    var names: [String] = []
    for (index, argument) in arguments.enumerated() {
      var value: Substring?
      if argument == "--kafka", index + 1 < arguments.count { value = arguments[index + 1][...] }
      if argument.hasPrefix("--kafka=") { value = argument.dropFirst("--kafka=".count) }
      guard let name = value?.prefix(while: { $0 != "=" }), isSecret(String(name)) else { continue }
      names.append(String(name))
    }
    return names
  }
}
