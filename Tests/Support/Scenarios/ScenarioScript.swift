@testable import Oracle

/// The short form in which scenarios say their inputs.
///
/// A step is one input, or many of a kind, and happens a second after the step before it:
/// - `1 roster A B:admin C!` (`!`: exempt), `3 added C by=A`, `4 left B`, `4 left B alone` (without
///   `actionOn`), and `u1..u3000` for many names;
/// - `2 from A`, with `uid=X`, `noreceipt`, `parent=1`, `sent=+5`, `deep=9` (an unknown field of 9
///   arrays in one another); `10..99 from A` for many, and `10..99 from u*` from as many senders;
/// - `5 action pinned` for an action record of another kind, `2 edited by A`;
/// - `B reads 2`, `B receives 2`, `B unreads 2`, `B reads [2,3]`, `B reads {X,Y}`, `B reads all`,
///   with `parent=1`, with `at=+5`, or `at=none` for a receipt without time; `u2..u3000 reads 2`
///   for as many receipts;
/// - `A deletes 2`, with `at=+5` or `at=none`, and with `original=A`: the original, sent by `A`
///   (`original=none`: by nobody named), with `sent=+5`, `uid=X`, and `parent=1` if it is a reply;
/// - `tick +300`.
///
/// `@h` anywhere puts it into the group `h` instead of `g`, `with B` into the conversation of the
/// actor and `B`; `ts=+5` gives the line a timestamp; `+5` or `+5.25` is a time in seconds after
/// the first step.
struct ScenarioScript {
  /// The time of the first step, in seconds.
  static let start: Int64 = 1_771_586_000

  struct Unreadable: Error { var step: String }

  private var words: [Substring]
  private var settings: [Substring: Substring] = [:]
  private let text: String
  private let now: Int64
  private var group: Substring = "g"
  /// The other party, in a conversation of two.
  private var peer: Substring?

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
    if let with = words.firstIndex(of: "with"), with + 1 < words.endIndex {
      peer = words[with + 1]
      words.removeSubrange(with...(with + 1))
    }
  }

  /// The lines of one step, which happens `second` seconds after the first.
  static func lines(_ step: String, at second: Int64) throws -> [Bytes] {
    let script = ScenarioScript(step, now: start + second)
    return try script.lines().map { Bytes($0.description) }
  }

  private func lines() throws -> [JSON] {
    guard words.count > 1 else { throw Unreadable(step: text) }
    if words[0] == "tick" { return [["tick": .int(try milliseconds(words[1]))]] }
    let ids = words[0].split(separator: ".", omittingEmptySubsequences: true)
      .compactMap { Int64($0) }
    switch ids.count {
    case 0:
      guard words.count > 2 else { throw Unreadable(step: text) }
      return try names(words[0]).map { name in
        let actor: JSON = ["uid": string(name)]
        if words[1] == "deletes" { return try line("deletes", delete(by: actor)) }
        return try line("receipts", receipt(from: actor))
      }
    case 1: return [try line("messages", message(ids[0]))]
    default: return try (ids[0]...ids[1]).map { id in try line("messages", message(id)) }
    }
  }

  private func line(_ topic: String, _ value: JSON) throws -> JSON {
    // A value that is nested too deep must not make the line itself so.
    let raw = settings["deep"].map { _ in JSON.string(Bytes(value.description)) }
    let content: JSON = raw.map { ["raw": $0] } ?? ["value": value]
    let line = content.adding("topic", .string(Bytes(topic)))
    let timestamp = try settings["ts"].map { text in JSON.int(try milliseconds(text)) }
    return line.adding("timestamp", timestamp)
  }

  private func milliseconds(_ text: Substring) throws -> Int64 {
    guard let seconds = Double(text.drop { $0 == "+" }) else { throw Unreadable(step: self.text) }
    let start = text.hasPrefix("+") ? ScenarioScript.start * 1000 : 0
    return start + Int64((seconds * 1000).rounded())
  }

  private func time(_ name: Substring) throws -> JSON? {
    guard let text = settings[name] else { return .int(now) }
    return text == "none" ? nil : .seconds(try milliseconds(text))
  }

  /// Where the record goes: what each of them says of that.
  private var receiver: JSON {
    let isDirect = peer != nil
    return ["receiverId": string(peer ?? group), "receiverType": isDirect ? "user" : "group"]
  }

  private var parent: JSON? { settings["parent"].flatMap { Int64($0) }.map(JSON.int) }

  private func message(_ id: Int64) throws -> JSON {
    let timed = receiver.adding("id", .int(id)).adding("sentAt", try time("sent"))
    switch words[1] {
    case "from", "edited":
      guard let sender = words.last(where: { $0 != "noreceipt" }) else {
        throw Unreadable(step: text)
      }
      return timed.adding("category", "message").adding("type", "text")
        .adding("sender", ["uid": string(sender.replacing("*", with: "\(id)")[...])])
        .adding("messageUId", settings["uid"].map(string))
        .adding("parentMessageId", parent)
        .adding("needReceipt", words.contains("noreceipt") ? false : nil)
        .adding("editedAt", words[1] == "edited" ? .int(now) : nil)
        .adding("deep", settings["deep"].flatMap { Int($0) }.map(arrays))
    case "action":
      return timed.adding("category", "action").adding("type", "groupMember")
        .adding("action", words.count > 2 ? string(words[2]) : nil)
        .adding("actionBy", ["uid": "A"])
    default:
      var members = words.dropFirst(2).filter { $0 != "alone" }.flatMap(named)
      let actor = settings["by"].map(string) ?? members.first?["uid"] ?? "A"
      let isAlone = words.last == "alone"
      if isAlone { members = [] }
      return timed.adding("category", "action").adding("type", "groupMember")
        .adding("action", string(words[1])).adding("actionBy", ["uid": actor])
        .adding("actionOn", isAlone ? nil : .array(members))
    }
  }

  private func arrays(_ count: Int) -> JSON {
    (1..<count).reduce([]) { inner, _ in .array([inner]) }
  }

  private func named(_ word: Substring) -> [JSON] {
    let isExempt = word.hasSuffix("!")
    let parts = (isExempt ? word.dropLast() : word).split(separator: ":")
    return names(parts[0]).map { uid in
      let member: JSON = ["uid": string(uid)]
      return member.adding("scope", parts.count > 1 ? string(parts[1]) : nil)
        .adding("receipts", isExempt ? "exempt" : nil)
    }
  }

  /// One name, or the many that `u1..u3000` stands for.
  private func names(_ word: Substring) -> [Substring] {
    let ends = word.split(separator: ".", omittingEmptySubsequences: true)
    guard ends.count == 2, let first = Int(ends[0].dropFirst()), let last = Int(ends[1].dropFirst())
    else { return [word] }
    return (first...last).map { "\(ends[0].prefix(1))\($0)" }
  }

  private func delete(by actor: JSON) throws -> JSON {
    guard let id = Int64(words[2]) else { throw Unreadable(step: text) }
    let original = try settings["original"].map { sender throws -> JSON in
      let message: JSON = ["id": .int(id), "text": "hi"]
      return message.adding("sender", sender == "none" ? nil : ["uid": string(sender)])
        .adding("sentAt", settings["sent"] == nil ? nil : try time("sent"))
        .adding("messageUId", settings["uid"].map(string)).adding("parentMessageId", parent)
    }
    return receiver.adding("messageId", .int(id)).adding("deletedBy", actor)
      .adding("deletedAt", try time("at")).adding("message", original)
  }

  private func receipt(from actor: JSON) throws -> JSON {
    let kinds: [Substring: String] = [
      "reads": "read", "receives": "delivered", "unreads": "unread",
    ]
    guard let kind = kinds[words[1]] else { throw Unreadable(step: text) }
    return receiver.adding("receiptType", .string(Bytes(kind))).adding("sender", actor)
      .adding(kind + "At", try time("at")).adding(covers.name, covers.value)
      .adding("parentMessageId", parent)
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
