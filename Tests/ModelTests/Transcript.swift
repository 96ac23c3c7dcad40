/// The short form in which scenarios say the outputs they expect.
enum Transcript {
  /// One output, such as `readByAll 2,3 to A by receipt at +5`.
  static func text(_ output: ModelOutput) -> String {
    switch output.topic {
    case "events": return output.value.map(event) ?? "no value"
    case "status": return output.value.map(status) ?? "no value"
    case "rejected":
      let headers = output.headers ?? [:]
      let isField = headers["error.code"] == "ERR_BAD_RECORD"
      let words = ["rejected", headers["error.code"], isField ? headers["error.field"] : nil]
        .compactMap(\.self)
      return words.joined(separator: " ") + " of line " + (headers["source.offset"] ?? "?")
    default: return output.description
    }
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

  private static func event(_ value: JSON) -> String {
    let receipt = value["receipt"] ?? .null
    let group = text(value["conversationId"])
    let place = group == "group_g" ? "" : "\(group.dropFirst(6)): "
    let name = text(value["event"])
    let to = recipients(value["to"])
    let last = text(value["eventId"]).split(separator: "/").last ?? "0"
    let number = last == "0" ? "" : " #\(last)"
    switch name {
    case "messagesDelivered", "messagesRead":
      return "\(place)\(name) \(text(receipt["sender"]?["uid"])) to \(to)\(number)"
    case "messagesDeliveredToAll", "messagesReadByAll":
      let isRead = name == "messagesReadByAll"
      let at = time(receipt[isRead ? "readAt" : "deliveredAt"])
      return "\(place)\(isRead ? "readByAll" : "deliveredToAll") \(ids(receipt["messageIds"]))"
        + " to \(to) by \(text(value["cause"])) at \(at)"
    case "readReceiptResponse":
      var parts: [String] = []
      if case .array(let responses)? = value["responses"] {
        parts = responses.map { response in
          let counts = "\(text(response["readCount"]))/\(text(response["totalCount"]))"
          return "\(text(response["messageId"]))=\(counts)"
        }
      }
      let reader = text(value["sender"]?["uid"])
      return "\(place)\(name) \(reader) to \(to): \(parts.joined(separator: " "))\(number)"
    default: return "\(place)\(name) \(value)"
    }
  }

  private static func status(_ value: JSON) -> String {
    let group = text(value["conversationId"])
    var words = [group == "group_g" ? "status" : "\(group.dropFirst(6)): status"]
    words += [text(value["messageId"]), text(value["tracking"])]
    if let reason = value["reason"] { words.append(text(reason)) }
    let delivered = number(value["deliveredCount"])
    let read = number(value["readCount"])
    words.append("\(delivered)/\(delivered + number(value["undeliveredCount"]))")
    words.append("\(read)/\(number(value["totalCount"]))")
    if let at = value["deliveredAt"] { words.append("delivered \(time(at))") }
    if let at = value["readAt"] { words.append("read \(time(at))") }
    if let uid = value["messageUId"] { words.append("uid \(text(uid))") }
    return words.joined(separator: " ")
  }

  private static func recipients(_ to: JSON?) -> String {
    if let guid = to?["guid"] { return "all of \(text(guid))" }
    guard case .array(let uids)? = to?["uids"] else { return "nobody" }
    return uids.map { text($0) }.joined(separator: ",")
  }

  /// A time as seconds after a scenario's first step.
  private static func time(_ value: JSON?) -> String {
    switch value {
    case .int(let seconds)?: "+\(seconds - ScenarioScript.start)"
    case .real(let seconds)?: "+\(seconds - Double(ScenarioScript.start))"
    default: "never"
    }
  }

  /// Ids with runs of three and more as `first..last`.
  private static func ids(_ value: JSON?) -> String {
    guard case .array(let values)? = value else { return "none" }
    var runs: [ClosedRange<Int64>] = []
    for value in values {
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

  private static func number(_ value: JSON?) -> Int64 {
    if case .int(let number)? = value { number } else { -1 }
  }

  private static func text(_ value: JSON?) -> String {
    if case .string(let text)? = value { text.description } else { value?.description ?? "none" }
  }
}
