@testable import Histories
@testable import Oracle
@testable import Scenarios

extension PlantedFault {
  private static let toAll = ["messagesDeliveredToAll", "messagesReadByAll"]

  static let announcements: [PlantedFault] = [
    PlantedFault("an announcement is lost", .missing) { outputs, random in
      random.place(outputs.events(toAll[0], toAll[1])).map { outputs.without([$0]) }
    },
    PlantedFault("an announcement comes again", .doubled) { outputs, random in
      random.place(outputs.events(toAll[0], toAll[1])).map { outputs.repeating($0) }
    },
    PlantedFault("an announcement comes again under another eventId", .doubled) {
      outputs, random in
      let several = outputs.events(toAll[0], toAll[1]).filter { outputs.ids($0).count > 1 }
      guard let place = random.place(several) else { return nil }
      var records = outputs.repeating(place)
      let value = outputs.announcing(Array(outputs.ids(place).dropLast()), at: place)
      records[records.count - 1].value = Array(value.description.utf8)
      return records
    },
    PlantedFault("an announcement is for a message that is not complete", .wrong) {
      outputs, random in
      let places = outputs.events(toAll[0], toAll[1])
      guard let place = random.place(places.filter { !outputs.unannounced(like: $0).isEmpty }),
        let other = random.place(outputs.unannounced(like: place))
      else { return nil }
      let id = outputs.values[other]["messageId"]?.whole ?? 0
      return outputs.replacing(place, outputs.announcing([id], at: place))
    },
    PlantedFault("an announcement has an id too many", .wrong) { outputs, random in
      let places = outputs.events(toAll[0], toAll[1])
      guard let place = random.place(places.filter { !outputs.unannounced(like: $0).isEmpty }),
        let other = random.place(outputs.unannounced(like: place))
      else { return nil }
      let id = outputs.values[other]["messageId"]?.whole ?? 0
      let ids = (outputs.ids(place) + [id]).sorted()
      return outputs.replacing(place, outputs.announcing(ids, at: place))
    },
    PlantedFault("an announcement has an id too few", .missing) { outputs, random in
      let several = outputs.events(toAll[0], toAll[1]).filter { outputs.ids($0).count > 1 }
      guard let place = random.place(several) else { return nil }
      var ids = outputs.ids(place)
      ids.remove(at: random.count(0...(ids.count - 1)))
      return outputs.replacing(place, outputs.announcing(ids, at: place))
    },
    PlantedFault("an announcement is for another sender", .wrong) { outputs, random in
      random.place(outputs.events(toAll[0], toAll[1])).map { place in
        outputs.replacing(place, outputs.values[place].adding("to", ["uids": ["nobody"]]))
      }
    },
    PlantedFault("the ids of an announcement do not rise", .wrong) { outputs, random in
      let several = outputs.events(toAll[0], toAll[1]).filter { outputs.ids($0).count > 1 }
      guard let place = random.place(several) else { return nil }
      let ids: [Int64] = outputs.ids(place).reversed()
      return outputs.replacing(place, outputs.announcing(ids, at: place))
    },
    PlantedFault("an announcement has a time that no record has", .wrong) { outputs, random in
      random.place(outputs.events("messagesReadByAll")).map { place in
        let receipt = outputs.values[place]["receipt"]?.adding("readAt", 12345)
        return outputs.replacing(place, outputs.values[place].adding("receipt", receipt))
      }
    },
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
        return outputs.events(toAll[0], toAll[1]).first { place in
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

extension PlantedFault.Outputs {
  /// The last statuses of the messages of an announcement's conversation that are not announced.
  fileprivate func unannounced(like place: Int) -> [Int] {
    let conversation = values[place]["conversationId"]
    let announced = Set(
      events("messagesDeliveredToAll", "messagesReadByAll").filter {
        values[$0]["conversationId"] == conversation
      }.flatMap { ids($0) })
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
