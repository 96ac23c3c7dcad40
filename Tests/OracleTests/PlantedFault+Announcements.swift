@testable import Histories
@testable import Oracle
@testable import Scenarios

extension PlantedFault {
  static let announcements: [PlantedFault] = [
    lost("an announcement") { $0.announcements },
    repeated("an announcement") { $0.announcements },
    PlantedFault("an announcement comes again under another eventId", .doubled) {
      outputs, random in
      guard let place = random.place(outputs.severalAtOnce) else { return nil }
      var records = outputs.repeating(place)
      let value = outputs.announcing(Array(outputs.ids(place).dropLast()), at: place)
      records[records.count - 1].value = Array(value.description.utf8)
      return records
    },
    announcing("an announcement is for a message that is not complete") { _, id in [id] },
    announcing("an announcement has an id too many") { ids, id in (ids + [id]).sorted() },
    PlantedFault("an announcement has an id too few", .missing) { outputs, random in
      guard let place = random.place(outputs.severalAtOnce) else { return nil }
      var ids = outputs.ids(place)
      ids.remove(at: random.count(0...(ids.count - 1)))
      return outputs.replacing(place, outputs.announcing(ids, at: place))
    },
    changed("an announcement is for another sender", at: { $0.announcements }) {
      $0.adding("to", ["uids": ["nobody"]])
    },
    PlantedFault("the ids of an announcement do not rise", .wrong) { outputs, random in
      guard let place = random.place(outputs.severalAtOnce) else { return nil }
      let ids: [Int64] = outputs.ids(place).reversed()
      return outputs.replacing(place, outputs.announcing(ids, at: place))
    },
    changed(
      "an announcement has a time that no record has", at: { $0.events("messagesReadByAll") }
    ) { $0.adding("receipt", $0["receipt"]?.adding("readAt", 12345)) },
    PlantedFault("an announcement comes before the receipt that completes it", .early) {
      outputs, random in
      let events = outputs.topic(.events)
      let pairs = zip(events, events.dropFirst()).filter { receipt, announcement in
        outputs.isCompleted(announcement, by: receipt)
      }
      guard !pairs.isEmpty else { return nil }
      let pair = random.pick(pairs)
      return outputs.moving(pair.1, before: pair.0)
    },
    PlantedFault("readByAll comes before deliveredToAll", .disordered) { outputs, random in
      let reads = outputs.events("messagesReadByAll").compactMap { read -> (Int, Int)? in
        let ids = Set(outputs.ids(read))
        return outputs.events("messagesDeliveredToAll").first { delivered in
          outputs.values[delivered]["conversationId"] == outputs.values[read]["conversationId"]
            && !ids.isDisjoint(with: outputs.ids(delivered)) && delivered < read
        }.map { (read, $0) }
      }
      guard !reads.isEmpty else { return nil }
      let pair = random.pick(reads)
      return outputs.moving(pair.0, before: pair.1)
    },
    PlantedFault("an announcement comes after its message's delete", .disordered) {
      outputs, random in
      let deleted = outputs.events("messageDeleted").compactMap { deleted -> (Int, Int)? in
        let id = outputs.values[deleted]["message"]?["id"]?.whole ?? 0
        return outputs.announcements.first { place in
          place < deleted && outputs.ids(place).contains(id)
            && outputs.values[place]["conversationId"] == outputs.values[deleted]["conversationId"]
        }.map { ($0, deleted) }
      }
      guard !deleted.isEmpty else { return nil }
      let pair = random.pick(deleted)
      return outputs.moving(pair.0, before: pair.1 + 1)
    },
  ]
}

extension PlantedFault {
  /// One of the announcements is for an incomplete message of its conversation, too.
  private static func announcing(
    _ description: String, _ ids: @escaping @Sendable ([Int64], Int64) -> [Int64]
  ) -> PlantedFault {
    PlantedFault(description, .wrong) { outputs, random in
      let places = outputs.announcements.filter { !outputs.unannounced(like: $0).isEmpty }
      guard let place = random.place(places),
        let other = random.place(outputs.unannounced(like: place))
      else { return nil }
      let id = outputs.values[other]["messageId"]?.whole ?? 0
      return outputs.replacing(place, outputs.announcing(ids(outputs.ids(place), id), at: place))
    }
  }
}

extension PlantedFault.Outputs {
  var announcements: [Int] { events("messagesDeliveredToAll", "messagesReadByAll") }

  /// The announcements of more than one message.
  fileprivate var severalAtOnce: [Int] { announcements.filter { ids($0).count > 1 } }

  /// The last statuses of the messages of an announcement's conversation that are not announced.
  fileprivate func unannounced(like place: Int) -> [Int] {
    let conversation = values[place]["conversationId"]
    let announced = Set(
      announcements.filter { values[$0]["conversationId"] == conversation }.flatMap { ids($0) })
    return lastStatuses.filter { status in
      values[status]["conversationId"] == conversation
        && !announced.contains(values[status]["messageId"]?.whole ?? 0)
    }
  }

  /// Whether an announcement comes of the receipt before it.
  fileprivate func isCompleted(_ announcement: Int, by receipt: Int) -> Bool {
    let kinds: [JSON: JSON] = [
      "messagesDelivered": "messagesDeliveredToAll", "messagesRead": "messagesReadByAll",
    ]
    let names = (values[receipt]["event"] ?? .null, values[announcement]["event"] ?? .null)
    let kind: Bytes = names.0 == "messagesRead" ? "readAt" : "deliveredAt"
    return kinds[names.0] == names.1 && values[announcement]["cause"] == "receipt"
      && values[announcement]["conversationId"] == values[receipt]["conversationId"]
      && values[announcement]["receipt"]?[kind]?.time == values[receipt]["receipt"]?[kind]?.time
  }
}

extension JSON: Hashable {
  /// Hashes all that makes it what it is.
  public func hash(into hasher: inout Hasher) { hasher.combine(OracleDigest(self)) }

  fileprivate var first: JSON? { if case .array(let values) = self { values.first } else { nil } }
}
