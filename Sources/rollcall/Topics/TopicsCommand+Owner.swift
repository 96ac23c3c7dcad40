import Core
import Kafka
import Ops
import Wire
import Worker

/// Whose state the changelog's partitions are.
struct StateOwners {
  /// The partitions of each group that is not the expected one, by its name.
  private(set) var strangers: [(group: String, partitions: [Int32])] = []

  /// Sorts the partitions of other groups than the expected one by group.
  init(_ owners: [Int32: String], expected: String) {
    for group in Set(owners.values).subtracting([expected]).sorted() {
      strangers.append((group, owners.filter { $0.value == group }.keys.sorted()))
    }
  }

  /// What there is to be told, a line for each other group.
  func lines(topic: String, expected: String) -> [String] {
    strangers.map { group, partitions in
      let list = partitions.map(String.init).joined(separator: ", ")
      return "\(topic) has the state of group \(group), not \(expected), in partition \(list): "
        + "workers need --group \(group), or --take-over-group \(group) for a move"
    }
  }
}

extension TopicsCommand {
  /// How many of a changelog's last records are looked at for the partition's own one, which each
  /// transaction writes: first these, then those.
  private static let tails: [Int64] = [1000, 20_000]
  private static let tailTimeout = Duration.seconds(10)

  /// Warns of a state that is another group's.
  func warnOfStrangers(_ answers: TopicAnswers) {
    for stranger in strangers(answers[.state].description?.partitions) {
      Console.tell("rollcall: warning: \(stranger)")
    }
  }

  /// What there is to be told of a state that is another group's, a line for each such group. A
  /// partition whose record is not found soon is passed over.
  ///
  /// - Parameter partitions: how many partitions the changelog has; nil while it is not there.
  private func strangers(_ partitions: Int32?) -> [String] {
    guard let partitions, partitions > 0 else { return [] }
    do throws(KafkaError) {
      var owners: [Int32: String] = [:]
      var seen: Set<Int32> = []
      for tail in Self.tails {
        let rest = (0..<partitions).filter { !seen.contains($0) }
        for (partition, fold) in try foldTails(of: rest, tail) {
          guard let record = fold.record else { continue }
          seen.insert(partition)
          if let owner = fold.claimant ?? record.group { owners[partition] = owner }
        }
      }
      return StateOwners(owners, expected: settings.group)
        .lines(topic: name(of: .state), expected: settings.group)
    } catch {
      let user = error.denial == nil ? nil : settings.connection.principal
      return [
        "whose state it is cannot be read: \(error.text)" + (user.map { " to \($0)" } ?? "")
      ]
    }
  }

  /// Folds the partitions' own records among the last ones of each changelog.
  private func foldTails(
    of partitions: [Int32], _ count: Int64
  ) throws(KafkaError) -> [(Int32, StateFold)] {
    guard !partitions.isEmpty else { return [] }
    let lanes = partitions.map { TopicPartition(name(of: .state), $0) }
    let reader = try TopicReader(clients, lanes, from: .tail(count), notify: Console.notify)
    defer { reader.close() }
    var folds: [Int32: StateFold] = [:]
    _ = try reader.readToEnd(within: Self.tailTimeout) { lane, key, value in
      guard let key, StateCodec.isPartition(key: key) else { return }
      // One that cannot be read stops its partition in a worker: nothing to be told here.
      do throws(StateError) {
        try folds[lane.partition, default: StateFold()].take(key: key, value: value)
      } catch { folds[lane.partition] = nil }
    }
    return folds.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}
