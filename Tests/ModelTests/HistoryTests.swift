import Testing

@Suite("Random histories")
struct HistoryTests {
  @Test("they reach everything that the group part of the contract speaks of")
  func reach() throws {
    var seen: [String: Int] = [:]
    var lines = 0
    for seed in History.seeds(150) {
      let history = HistoryGenerator.history(seed)
      var model = try Model(history.options)
      lines += history.lines.count
      for line in history.lines {
        for output in try model.apply(line.text) { seen[Self.kind(of: output), default: 0] += 1 }
      }
    }
    for (kind, count) in seen.sorted(by: { $0.key < $1.key }) { print(kind, count) }
    print("lines", lines)
  }

  /// What an output is, as far as a test of reach cares.
  private static func kind(of output: ModelOutput) -> String {
    let value = output.value ?? .null
    let words = [
      value["event"], value["cause"], value["tracking"], value["reason"],
      value["receipt"]?["messageIds"].map { $0 == .array([]) ? "none" : "ids" },
    ].compactMap { $0?.description }
    let error = [output.headers?["error.code"], output.headers?["error.field"]].compactMap(\.self)
    return ([output.topic] + words + error).joined(separator: " ")
  }
}
