@testable import Oracle

/// The short form in which scenarios say the outputs they expect.
///
/// `#1` at the end of an event is the last part of its `eventId`, where that is not 0. What
/// belongs to the group `g` has no mark, that of the group `h` begins with `h: `, that of a
/// conversation of two with `A+B: `.
enum Transcript {
  /// One output, such as `readByAll 2,3 to A by receipt at +5`.
  static func text(_ output: WrittenRecord) -> String {
    guard output.topic != "rejected" else { return rejection(output.headers ?? [:]) }
    guard let value = output.value else { return output.description }
    let conversation = text(value["conversationId"])
    let isStatus = output.topic == "status"
    let key = isStatus ? "\(conversation)#\(text(value["messageId"]))" : conversation
    guard output.key == Bytes(key) else { return output.description }
    let content =
      switch output.topic {
      case "events": event(value)
      case "actions": action(value)
      case "status": status(value)
      default: output.description
      }
    return place(conversation) + content
  }

  /// Whether outputs are the expected ones. Among these `...` stands for any number of others, and
  /// a `*` at the end of one for any rest.
  static func matches(_ outputs: ArraySlice<String>, _ expected: ArraySlice<String>) -> Bool {
    guard let first = expected.first else { return outputs.isEmpty }
    if first == "..." {
      return (outputs.startIndex...outputs.endIndex).contains { start in
        matches(outputs[start...], expected.dropFirst())
      }
    }
    guard let output = outputs.first else { return false }
    let isRight = first.hasSuffix("*") ? output.hasPrefix(first.dropLast()) : output == first
    return isRight && matches(outputs.dropFirst(), expected.dropFirst())
  }

  private static func place(_ conversation: String) -> String {
    if conversation == "group_g" { return "" }
    if conversation.hasPrefix("group_") { return "\(conversation.dropFirst(6)): " }
    return "\(conversation.replacing("_user_", with: "+")): "
  }

  private static func rejection(_ headers: [String: String]) -> String {
    let isField = headers["error.code"] == "ERR_BAD_RECORD"
    let words = ["rejected", headers["error.code"], isField ? headers["error.field"] : nil]
      .compactMap(\.self)
    return words.joined(separator: " ") + " of line " + (headers["source.offset"] ?? "?")
  }

  private static func event(_ value: JSON) -> String {
    let receipt = value["receipt"] ?? .null
    let name = text(value["event"])
    let to = recipients(value["to"])
    switch name {
    case "messagesDelivered", "messagesRead":
      return "\(name) \(text(receipt["sender"]?["uid"])) to \(to)" + number(of: value)
    case "messagesDeliveredToAll", "messagesReadByAll":
      let isRead = name == "messagesReadByAll"
      let at = time(receipt[isRead ? "readAt" : "deliveredAt"])
      return "\(isRead ? "readByAll" : "deliveredToAll") \(ids(receipt["messageIds"]))"
        + " to \(to) by \(text(value["cause"])) at \(at)"
    case "readReceiptResponse":
      let responses = list(value["responses"]).map { response in
        let counts = "\(text(response["readCount"]))/\(text(response["totalCount"]))"
        return "\(text(response["messageId"]))=\(counts)"
      }
      let reader = text(value["sender"]?["uid"])
      return "\(name) \(reader) to \(to): \(responses.joined(separator: " "))" + number(of: value)
    case "unreadChanged": return unread(value, of: to) + number(of: value)
    case "threadUpdated":
      let isEmpty = value["lastReplyId"] == .null && value["lastReplyAt"] == .null
      let last =
        isEmpty ? "" : " last \(text(value["lastReplyId"])) at \(time(value["lastReplyAt"]))"
      return "thread \(text(value["parentMessageId"])) has \(text(value["replyCount"]))\(last)"
        + " to \(to)" + number(of: value)
    case "messageDeleted":
      return deletion(value["message"]) + " to \(to)" + number(of: value)
    default: return "\(name) \(value)"
    }
  }

  /// `unread B 3 from 4 read 2`: 3 unread, the lowest of them 4, the last read 2.
  private static func unread(_ value: JSON, of member: String) -> String {
    var words = ["unread", member, text(value["unreadMessageCount"])]
    if let from = value["unreadFrom"] { words += ["from", text(from)] }
    words += ["read", text(value["lastReadMessageId"])]
    if let parent = value["parentMessageId"] { words += ["in", text(parent)] }
    return words.joined(separator: " ")
  }

  /// `deleted 2 by B at +5 (A +1)`: the message of `A`, sent at `+1`.
  private static func deletion(_ message: JSON?) -> String {
    let message = message ?? .null
    var about = [text(message["sender"]?["uid"])]
    if let sent = message["sentAt"] { about.append(time(sent)) }
    if let uid = message["messageUId"] { about.append("uid \(text(uid))") }
    if let parent = message["parentMessageId"], parent != 0 { about.append("in \(text(parent))") }
    if let text = message["text"] { about.append("saying \(self.text(text))") }
    let updated =
      message["updatedAt"] == message["deletedAt"] ? "" : " updated \(text(message["updatedAt"]))"
    return "deleted \(text(message["id"])) by \(text(message["deletedBy"]))"
      + " at \(time(message["deletedAt"]))\(updated) (\(about.joined(separator: " ")))"
  }

  /// `action of B at +5 for g: deleted 2 …`, with `in 1` for a message of a thread.
  private static func action(_ value: JSON) -> String {
    let fixed: JSON = [
      "muid": .string(Bytes("deleted-" + text(value["actionOn"]?["id"]))), "category": "action",
      "type": "message", "action": "deleted", "message": "Message is deleted.",
    ]
    guard case .object(let members) = fixed,
      members.allSatisfy({ value[$0.name] == $0.value })
    else { return value.description }
    let isGroup = value["receiverType"] == "group"
    guard value["actionFor"]?[isGroup ? "guid" : "uid"] == value["receiverId"] else {
      return value.description
    }
    let parent = value["parentMessageId"] == 0 ? "" : " in \(text(value["parentMessageId"]))"
    return "action of \(text(value["actionBy"]?["uid"])) at \(time(value["sentAt"]))"
      + " for \(text(value["receiverId"]))\(parent): " + deletion(value["actionOn"])
  }

  /// `status 2 on 1/3 0/3`: delivered to 1 of 3, read by none of 3.
  private static func status(_ value: JSON) -> String {
    var words = ["status", text(value["messageId"]), text(value["tracking"])]
    if let reason = value["reason"] { words.append(text(reason)) }
    let delivered = number(value["deliveredCount"])
    let read = number(value["readCount"])
    words.append("\(delivered)/\(delivered + number(value["undeliveredCount"]))")
    words.append("\(read)/\(number(value["totalCount"]))")
    if let at = value["deliveredAt"] { words.append("delivered \(time(at))") }
    if let at = value["readAt"] { words.append("read \(time(at))") }
    if let at = value["deletedAt"] { words.append("deleted \(time(at))") }
    if let uid = value["deletedBy"] { words.append("by \(text(uid))") }
    if value["replyCount"] != 0 { words.append("replies \(text(value["replyCount"]))") }
    if let uid = value["messageUId"] { words.append("uid \(text(uid))") }
    if value["sender"] == nil { words.append("of nobody") }
    if value["sentAt"] == nil { words.append("sent never") }
    return words.joined(separator: " ")
  }

  private static func number(of event: JSON) -> String {
    let last = text(event["eventId"]).split(separator: "/").last ?? "?"
    return last == "0" ? "" : " #\(last)"
  }

  private static func recipients(_ to: JSON?) -> String {
    if let guid = to?["guid"] { return "all of \(text(guid))" }
    return list(to?["uids"]).map { text($0) }.joined(separator: ",")
  }

  /// A time as seconds after a scenario's first step.
  private static func time(_ value: JSON?) -> String {
    switch value {
    case .int(let seconds)?: "+\(seconds - ScenarioScript.start)"
    case .real(let seconds)?:
      "+\(Double(Int64((seconds * 1000).rounded()) - ScenarioScript.start * 1000) / 1000)"
    default: "never"
    }
  }

  /// Ids with runs of three and more as `first..last`.
  private static func ids(_ value: JSON?) -> String {
    var runs: [ClosedRange<Int64>] = []
    for value in list(value) {
      let id = number(value)
      if let last = runs.last, last.upperBound + 1 == id {
        runs[runs.count - 1] = last.lowerBound...id
      } else {
        runs.append(id...id)
      }
    }
    return runs.flatMap { run in
      run.count > 2 ? ["\(run.lowerBound)..\(run.upperBound)"] : run.map(String.init)
    }.joined(separator: ",")
  }

  private static func list(_ value: JSON?) -> [JSON] {
    if case .array(let values)? = value { values } else { [] }
  }

  private static func number(_ value: JSON?) -> Int64 {
    if case .int(let number)? = value { number } else { -1 }
  }

  private static func text(_ value: JSON?) -> String {
    if case .string(let text)? = value { text.description } else { value?.description ?? "none" }
  }
}
