@testable import Oracle

extension HistoryGenerator {
  // Who, which and when.

  /// Somebody who may act in a conversation, or now and then a stranger.
  mutating func actor(in place: HistoryPlace) -> Bytes {
    if random.chance(3) { return "outsider" }
    switch place {
    case .group: return random.pick(shape.uids)
    case .pair(let a, let b): return random.pick([a, b])
    }
  }

  /// Mostly the next id, else one with a gap before it, a late one, or a repeated one.
  mutating func newId(in place: HistoryPlace) -> Int64 {
    let highest = used[place]?.max() ?? random.number(0...4)
    let id = random.pick(weighted: [
      (60, highest + 1), (shape.isWild ? 12 : 6, highest + random.number(2...4)),
      (8, random.number(1...max(1, highest))), (10, unusedId(in: place, below: highest)),
      (4, random.number(1...shape.highestId)),
    ])
    used[place, default: []].insert(id)
    return id
  }

  private mutating func unusedId(in place: HistoryPlace, below highest: Int64) -> Int64 {
    let unused = (1...max(1, highest)).filter { used[place]?.contains($0) != true }
    return unused.isEmpty ? highest + 1 : random.pick(Array(unused))
  }

  /// Mostly an id that was used, else one that may come or never does.
  mutating func anyId(in place: HistoryPlace) -> Int64 {
    let ids = (used[place] ?? []).sorted()
    if ids.isEmpty || random.chance(shape.isWild ? 12 : 2) {
      return random.number(1...shape.highestId)
    }
    if random.chance(shape.isWild ? 15 : 8) { return ids[ids.count - 1] + random.number(1...3) }
    return random.chance(50) ? random.pick(Array(ids.suffix(4))) : random.pick(ids)
  }

  /// What a message says it replies to; mostly a message that is no reply itself.
  mutating func parent(of id: Int64, in place: HistoryPlace) -> Int64 {
    let roots = (sent[place] ?? [:]).filter { $0.value.parent == 0 && $0.key < id }.keys.sorted()
    return random.pick(weighted: [
      (60, roots.isEmpty ? anyId(in: place) : random.pick(Array(roots.suffix(3)))),
      (20, anyId(in: place)), (12, random.number(1...max(1, id - 1))),
      (8, random.pick([-1, id, id + 1, .max, .min])),
    ])
  }

  /// A time near the present, or one that was used before.
  mutating func time() -> JSON {
    if random.chance(15), !times.isEmpty { return .seconds(random.pick(times.suffix(8))) }
    let time =
      now
      + random.pick(weighted: [
        (5, 0), (3, random.number(-2000...2000)), (1, random.number(-30...30) * 1000),
      ])
    times.append(time)
    return .seconds(time)
  }

  /// A time that a backend gives: now and then milliseconds for seconds, or a day off.
  mutating func backendTime() -> JSON {
    if random.chance(96) { return time() }
    return random.pick(weighted: [
      (3, .seconds(now + 86_400_000)), (3, .seconds(now + 86_400_001)), (3, .int(now)),
      (3, .seconds(now - 86_400_000)), (1, .int(-now)), (1, .int(Int64.max / 1000)),
      (1, .int(Int64.min / 1000)), (1, 0),
    ])
  }

  /// A time that a device gives: its clock may be years off.
  mutating func deviceTime() -> JSON {
    if random.chance(92) { return time() }
    return random.pick(weighted: [
      (5, .seconds(now + 31_536_000_000)), (3, .seconds(now - 31_536_000_000)), (2, .int(now)),
      (1, .int(Int64.max / 1000)), (1, .int(Int64.min / 1000)), (1, 0), (1, .real(-1.5)),
    ])
  }

  mutating func messageUId() -> Bytes { Bytes("X\(random.count(1...15))") }
}
