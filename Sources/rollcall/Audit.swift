import Kafka
import Ops
import Worker

/// The look at the broker before the worker starts: what cannot work is told with its remedy, what
/// is merely not as the contract says is a warning.
struct Audit {
  private let settings: WorkerSettings
  private let logger: Logger
  private let notices: NoticeLog

  init(_ settings: WorkerSettings, _ logger: Logger, _ notices: NoticeLog) {
    self.settings = settings
    self.logger = logger
    self.notices = notices
  }

  /// The number of partitions that all topics have; nil when the worker must not start.
  func run() -> Int32? {
    let found: [String: TopicDescription]
    do throws(KafkaError) {
      let clients = try settings.clients(shard: 0)
      for caution in clients.cautions {
        logger.log(.warning, "a setting will hardly work", ["detail": .text(caution)])
      }
      found = try Admin(clients, notify: notices.notify)
        .descriptions(of: settings.connection.names)
    } catch {
      refuse(error.text, remedy: remedy(for: error))
      return nil
    }
    let names = settings.connection.names
    var isSound = true
    for difference in TopicDifference.all(
      name: { names[$0] }, partitions: nil, broker: { found[$0] })
    {
      if let remedy = remedy(for: difference) {
        refuse(difference.description, remedy: remedy)
        isSound = false
      } else if case .setting(let name, let wanted, let value) = difference {
        logger.log(
          .warning, "a topic's setting is not the contract's",
          [
            "topic": .text(name), "setting": .text(wanted.name),
            "found": .text(value ?? "unknown"), "contract": .text(wanted.value),
          ])
      }
    }
    return isSound ? found[names[.messages]]?.partitions : nil
  }

  private func refuse(_ problem: String, remedy: String) {
    logger.log(
      .error, "the worker cannot start", ["problem": .text(problem), "remedy": .text(remedy)])
  }

  private func remedy(for error: KafkaError) -> String {
    switch error {
    case .configuration: "change the properties that it names (--kafka, --kafka-properties)"
    case .timedOut, .failed, .recordTooLarge:
      "see that a broker answers at \(settings.connection.bootstrapServers) "
        + "(--bootstrap-servers), and that security.protocol and sasl.* are those of its listener"
    }
  }

  /// How to mend what keeps the worker from starting; nil for what does not.
  private func remedy(for difference: TopicDifference) -> String? {
    switch difference {
    case .missing: "create it with rollcall topics apply"
    case .partitions, .unequal:
      "make the topics anew with one number of partitions (rollcall topics apply --partitions)"
    case .setting(let name, let wanted, let found):
      // A changelog that is not compacted loses state (delete), or grows without bound.
      name == settings.connection.names[.state] && wanted.name == "cleanup.policy" && found != nil
        ? "kafka-configs --alter --entity-type topics --entity-name \(name) "
          + "--add-config cleanup.policy=compact" : nil
    }
  }
}
