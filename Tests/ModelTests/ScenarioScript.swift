/// The short form in which scenarios say their inputs.
///
/// A step is one input, or many of a kind, and happens a second after the step before it:
/// - `1 roster A B:admin C!` (`!`: exempt), `3 added C by=A`, `4 left B`, `4 left B alone` (without
///   `actionOn`), and `u1..u3000` for many names;
/// - `2 from A`, with `uid=X`, `noreceipt`, `parent=1`, `sent=+5`; `10..99 from A` for many, and
///   `10..99 from u*` from as many senders;
/// - `5 action pinned` for an action record of another kind, `2 edited by A`;
/// - `B reads 2`, `B receives 2`, `B reads [2,3]`, `B reads {X,Y}`, `B reads all`, with `at=+5`, or
///   `at=none` for a receipt without time;
/// - `A unreads 2`, `A deletes 2`, `tick +300`.
///
/// `@h` anywhere puts it into the group `h` instead of `g`; `ts=+5` gives the line a timestamp;
/// `+5` is a time in seconds after the first step.
struct ScenarioScript {
  /// The time of the first step, in seconds.
  static let start: Int64 = 1_771_586_000

  struct Unreadable: Error { var step: String }

  private var words: [Substring]
  private var settings: [Substring: Substring] = [:]
  private let text: String
  private let now: Int64
  private var group: Substring = "g"

  private init(_ text: String, now: Int64) {
    self.text = text
    self.now = now
    words = []
    for word in text.split(separator: " ") {
      if word.hasPrefix("@") {
        group = word.dropFirst()
      } else if let equals = word.firstIndex(of: "=") {
        settings[word[..<equals]] = word[word.index(after: equals)...]
      } else {
        words.append(word)
      }
    }
  }

  /// The lines of one step, which happens `second` seconds after the first.
  static func lines(_ step: String, at second: Int64) throws -> [Bytes] {
    let script = ScenarioScript(step, now: start + second)
    return try script.lines().map { Bytes($0.description) }
  }

  private func lines() throws -> [JSON] {
    guard words.count > 1 else { throw Unreadable(step: text) }
    if words[0] == "tick" { return [["tick": .int(try seconds(words[1]) * 1000)]] }
    let ids = words[0].split(separator: ".", omittingEmptySubsequences: true)
      .compactMap { Int64($0) }
    switch ids.count {
    case 0: return [try line("receipts", receiptOrDelete())]
    case 1: return [try line("messages", message(ids[0]))]
    default: return try (ids[0]...ids[1]).map { id in try line("messages", message(id)) }
    }
  }

  private func line(_ topic: String, _ value: JSON) throws -> JSON {
    let topic = words[1] == "deletes" ? "deletes" : topic
    let line: JSON = ["topic": .string(Bytes(topic)), "value": value]
    let timestamp = try settings["ts"].map { text in JSON.int(try seconds(text) * 1000) }
    return line.adding("timestamp", timestamp)
  }

  private func seconds(_ text: Substring) throws -> Int64 {
    guard let number = Int64(text.drop { $0 == "+" }) else { throw Unreadable(step: self.text) }
    return text.hasPrefix("+") ? ScenarioScript.start + number : number
  }

  private func time(_ name: Substring) throws -> JSON? {
    guard let text = settings[name] else { return .int(now) }
    return text == "none" ? nil : .int(try seconds(text))
  }

  private func message(_ id: Int64) throws -> JSON {
    let value: JSON = [
      "id": .int(id), "receiverId": .string(Bytes(String(group))), "receiverType": "group",
    ]
    let timed = value.adding("sentAt", try time("sent"))
    switch words[1] {
    case "from", "edited":
      guard let sender = words.last(where: { $0 != "noreceipt" }) else {
        throw Unreadable(step: text)
      }
      return timed.adding("category", "message").adding("type", "text")
        .adding("sender", ["uid": string(sender.replacing("*", with: "\(id)")[...])])
        .adding("messageUId", settings["uid"].map(string))
        .adding("parentMessageId", settings["parent"].flatMap { Int64($0) }.map(JSON.int))
        .adding("needReceipt", words.contains("noreceipt") ? false : nil)
        .adding("editedAt", words[1] == "edited" ? .int(now) : nil)
    case "action":
      return timed.adding("category", "action").adding("type", "groupMember")
        .adding("action", words.count > 2 ? string(words[2]) : nil)
        .adding("actionBy", ["uid": "A"])
    default:
      var members = try words.dropFirst(2).filter { $0 != "alone" }.flatMap(named)
      let actor = settings["by"].map(string) ?? members.first?["uid"] ?? "A"
      let isAlone = words.last == "alone"
      if isAlone { members = [] }
      return timed.adding("category", "action").adding("type", "groupMember")
        .adding("action", string(words[1])).adding("actionBy", ["uid": actor])
        .adding("actionOn", isAlone ? nil : .array(members))
    }
  }

  private func named(_ word: Substring) throws -> [JSON] {
    let isExempt = word.hasSuffix("!")
    let parts = (isExempt ? word.dropLast() : word).split(separator: ":")
    let uids: [Substring]
    let ends = parts[0].split(separator: ".", omittingEmptySubsequences: true)
    if ends.count == 2, let first = Int(ends[0].dropFirst()), let last = Int(ends[1].dropFirst()) {
      uids = (first...last).map { "\(ends[0].prefix(1))\($0)" }
    } else {
      uids = [parts[0]]
    }
    return uids.map { uid in
      let member: JSON = ["uid": string(uid)]
      return member.adding("scope", parts.count > 1 ? string(parts[1]) : nil)
        .adding("receipts", isExempt ? "exempt" : nil)
    }
  }

  private func receiptOrDelete() throws -> JSON {
    guard words.count > 2 else { throw Unreadable(step: text) }
    let value: JSON = ["receiverId": string(group), "receiverType": "group"]
    let actor: JSON = ["uid": string(words[0])]
    if words[1] == "deletes" {
      return value.adding("messageId", Int64(words[2]).map(JSON.int)).adding("deletedBy", actor)
        .adding("deletedAt", try time("at"))
    }
    let kinds: [Substring: String] = [
      "reads": "read", "receives": "delivered", "unreads": "unread",
    ]
    guard let kind = kinds[words[1]] else { throw Unreadable(step: text) }
    return value.adding("receiptType", .string(Bytes(kind))).adding("sender", actor)
      .adding(kind + "At", try time("at")).adding(covers.name, covers.value)
  }

  private var covers: (name: String, value: JSON?) {
    let word = words[2]
    let list = word.dropFirst().dropLast().split(separator: ",")
    switch word.first {
    case "[":
      let ids = list.flatMap { part -> [Int64] in
        let ends = part.split(separator: ".", omittingEmptySubsequences: true)
          .compactMap { Int64($0) }
        return ends.count == 2 ? Array(ends[0]...ends[1]) : ends
      }
      return ("messageIds", .array(ids.map(JSON.int)))
    case "{": return ("messageUIds", .array(list.map(string)))
    default:
      if word == "all" { return ("conversation", true) }
      return ("messageId", Int64(word).map(JSON.int))
    }
  }

  private func string(_ text: Substring) -> JSON { .string(Bytes(String(text))) }
}
