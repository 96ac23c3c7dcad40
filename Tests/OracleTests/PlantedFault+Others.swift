@testable import Oracle

extension PlantedFault {
  static let statuses: [PlantedFault] =
    [
      PlantedFault("all statuses of a message are lost", .missing) { outputs, random in
        guard let place = random.place(outputs.lastStatuses) else { return nil }
        let key = outputs.records[place].key
        return outputs.without(outputs.topic(.status).filter { outputs.records[$0].key == key })
      },
      PlantedFault("a last status is lost that says who has it all", .wrong) { outputs, random in
        let done = outputs.lastStatuses.filter { last in
          let before = outputs.topic(.status).last {
            $0 < last && outputs.records[$0].key == outputs.records[last].key
          }
          return before.map { outputs.values[$0]["readAt"] == nil } ?? false
            && outputs.values[last]["readAt"] != nil
        }
        return random.place(done).map { outputs.without([$0]) }
      },
      PlantedFault("a status is of a message that never came", .wrong) { outputs, random in
        guard let place = random.place(outputs.lastStatuses),
          let name = outputs.values[place]["conversationId"]?.text
        else { return nil }
        let value = outputs.values[place].adding("messageId", 999_999_999_999)
        var records = outputs.replacing(place, value)
        records[place].key = name.bytes + Array("#999999999999".utf8)
        return outputs.records + [records[place]]
      },
    ]
    + ["deliveredAt", "readAt", "deletedAt", "sentAt", "sender", "tracking", "reason"].map {
      field in
      PlantedFault("a last status has another \(field)", .wrong) { outputs, random in
        let other: JSON = ["tracking": "on", "reason": "EXPIRED", "sender": ["uid": "x"]]
        let places = outputs.lastStatuses.filter { place in
          outputs.values[place][Bytes(field)].map { $0 != other[Bytes(field)] } ?? false
        }
        return random.place(places).map { place in
          outputs.replacing(
            place, outputs.values[place].adding(field, other[Bytes(field)] ?? 54321))
        }
      }
    }
    + counts.map { field in
      changed(
        "a last status has a \(field) that is off by one", .badCounts, at: { $0.lastStatuses }
      ) { $0.adding(field, .int(($0[Bytes(field)]?.whole ?? 0) + 1)) }
    }

  private static let counts = [
    "totalCount", "deliveredCount", "undeliveredCount", "readCount", "unreadCount", "replyCount",
  ]

  static let rejections: [PlantedFault] = [
    lost("a rejection", .badRejections) { $0.topic(.rejected) },
    repeated("a rejection", .badRejections) { $0.topic(.rejected) },
    rejection("has another code", header: "error.code", "ERR_SKIPPED"),
    rejection("is of another offset", header: "source.offset", "987654321"),
    rejection("has another timestamp", header: "source.timestamp", "7"),
    rejection("is of another topic", header: "source.topic", "chat.events"),
    PlantedFault("a rejected value is changed", .badRejections) { outputs, random in
      guard let place = random.place(outputs.topic(.rejected)) else { return nil }
      var records = outputs.records
      records[place].value = (records[place].value ?? []) + [0x20]
      return records
    },
  ]

  private static func rejection(_ what: String, header: String, _ value: String) -> PlantedFault {
    PlantedFault("a rejection \(what)", .badRejections) { outputs, random in
      random.place(outputs.topic(.rejected)).map { outputs.replacing($0, header: header, value) }
    }
  }

  static let events: [PlantedFault] =
    ["messagesDelivered", "messagesRead", "readReceiptResponse", "unreadChanged", "messageDeleted"]
    .flatMap { name in
      [
        lost("a \(name)") { $0.events(name) }, repeated("a \(name)") { $0.events(name) },
        PlantedFault("a \(name) comes again under another eventId", .wrong) { outputs, random in
          guard let place = random.place(outputs.events(name)) else { return nil }
          var records = outputs.repeating(place)
          let eventId = outputs.values[place]["eventId"]?.text?.description ?? ""
          let value = outputs.values[place].adding("eventId", .string(Bytes(eventId + "7")))
          records[records.count - 1].value = Array(value.description.utf8)
          return records
        },
      ]
    } + [
      PlantedFault("the last threadUpdated of a thread is lost", .missing, .badCounts) {
        outputs, random in
        var last: [JSON: Int] = [:]
        for place in outputs.events("threadUpdated") {
          let value = outputs.values[place]
          last[[value["conversationId"] ?? .null, value["parentMessageId"] ?? .null]] = place
        }
        return random.place(last.values.sorted()).map { outputs.without([$0]) }
      },
      lost("an action") { $0.topic(.actions) }, repeated("an action") { $0.topic(.actions) },
      changed("an action says somebody else deleted", at: { $0.topic(.actions) }) {
        $0.adding("actionBy", ["uid": "x"])
      },
      changed("a messagesRead does not carry its receipt", at: { $0.events("messagesRead") }) {
        $0.adding("receipt", $0["receipt"]?.adding("readAt", 1))
      },
      changed(
        "an unreadChanged has another number", .badCounts, at: { $0.events("unreadChanged") }
      ) { $0.adding("unreadMessageCount", .int(($0["unreadMessageCount"]?.whole ?? 0) + 1)) },
      PlantedFault("an event is of a conversation of elsewhere", .wrong) { outputs, random in
        guard let place = random.place(outputs.topic(.events)) else { return nil }
        let value = outputs.values[place].adding("conversationId", "group_elsewhere")
        var records = outputs.replacing(place, value)
        records[place].key = Array("group_elsewhere".utf8)
        return records
      },
    ]

  static let all = announcements + statuses + rejections + events
}
