/// What was announced.
extension Oracle {
  mutating func checkAnnouncement(
    _ value: JSON, _ kind: OracleAnnouncement.Kind, at place: Int,
    _ record: String
  ) {
    guard let announcement = OracleAnnouncement(value, kind, in: conversations[place]) else {
      verdict.find(.wrong, "the \(kind.word) at \(record) is not of its form")
      // What it names is announced all the same.
      if case .array(let ids)? = value["receipt"]?["messageIds"] {
        for id in ids.compactMap(\.whole) { note(id, kind, at: place, record) }
      }
      return
    }
    var isSound = true
    for id in announcement.ids {
      isSound = note(id, kind, at: place, record) && isSound
      isSound = check(id, of: announcement, at: place, record) && isSound
    }
    if order == .merged, isSound, !announcements.contains(OracleDigest(value)) {
      verdict.find(
        .wrong, "the \(kind.word) at \(record) has other ids than what is completed there")
    }
  }

  /// Notes that a message is announced. Gives false if that is a fault, whoever is told.
  @discardableResult
  private mutating func note(
    _ id: Int64, _ kind: OracleAnnouncement.Kind, at place: Int,
    _ record: String
  ) -> Bool {
    guard var message = conversations[place].messages[id] else {
      verdict.find(.wrong, "\(kind.word) of \(id) at \(record), which is no message")
      return false
    }
    if message.announced[kind] {
      verdict.find(.doubled, "\(kind.word) of \(id) at \(record)")
      return false
    }
    verdict.count(.announced)
    message.announced[kind] = true
    conversations[place].messages[id] = message
    var isSound = true
    if kind == .read, !message.announced[.delivered] {
      verdict.find(.disordered, "\(kind.word) of \(id) at \(record) comes before its delivery")
      isSound = false
    }
    if message.isDeleted {
      verdict.find(.disordered, "\(kind.word) of \(id) at \(record) comes after its delete")
      isSound = false
    }
    return isSound
  }

  /// Holds an announcement of one message against the model's. Gives false if it is a fault.
  private mutating func check(
    _ id: Int64, of announcement: OracleAnnouncement, at place: Int,
    _ record: String
  ) -> Bool {
    guard let message = conversations[place].messages[id] else { return false }
    let word = announcement.kind.word
    if message.sender != announcement.sender {
      verdict.find(.wrong, "\(word) of \(id) at \(record) is not for its sender")
      return false
    }
    guard let expected = message.expected[announcement.kind] else {
      return grant(id, announcement.kind, message) {
        "\(word) of \(id) at \(record), which is not complete"
      }
    }
    noteWait(id, announcement.kind, message)
    if expected.cause == announcement.cause, expected.time == announcement.time { return true }
    if order == .any, isPossible(announcement, message, at: place) {
      verdict.count(.reordered)
      return true
    }
    verdict.find(.wrong, "\(word) of \(id) at \(record) has another cause or time")
    return false
  }

  /// Whether there is a record of this kind and time that may have completed a message.
  private func isPossible(
    _ announcement: OracleAnnouncement, _ message: OracleMessage,
    at place: Int
  ) -> Bool {
    if announcement.cause == "message" { return announcement.time == message.sentAt }
    return conversations[place].times.contains(
      OracleConversation.time(announcement.time, of: announcement.cause))
  }
}
