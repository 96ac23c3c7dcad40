/// The statuses of `chat.status`.
extension Oracle {
  mutating func checkStatus(_ output: OracleRecord) {
    guard let value = JSON.parsed(output.value), let status = OracleStatus(value),
      let name = value["conversationId"]?.text, let id = value["messageId"]?.whole,
      output.key.map({ Bytes($0) }) == name + Bytes("#\(id)")
    else { return verdict.find(.wrong, "\(output.place) is no status") }
    guard let place = places[name], var message = conversations[place].messages[id],
      message.expectedStatus != nil
    else { return verdict.find(.wrong, "\(output.place), of \(id), which is no message") }
    if !isPossible(status, after: message.status) {
      verdict.find(.badCounts, "\(output.place), of \(id), has counts that cannot be")
      message.hasBadCounts = true
    }
    message.status = status
    conversations[place].messages[id] = message
  }

  /// Whether counts agree with each other, and with those before: what was done stays done.
  private func isPossible(_ status: OracleStatus, after last: OracleStatus?) -> Bool {
    let counts = status.counts
    let numbers = [counts.delivered, counts.undelivered, counts.read, counts.unread]
    return numbers.allSatisfy { $0 >= 0 }
      && counts.total == counts.read + counts.unread
      && counts.delivered + counts.undelivered >= counts.total && counts.delivered >= counts.read
      && (status.deliveredAt == nil || counts.undelivered == 0)
      && (status.readAt == nil || counts.unread == 0)
      && counts.delivered >= last?.counts.delivered ?? 0
      && counts.read >= last?.counts.read ?? 0
  }
}
