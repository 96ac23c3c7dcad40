import Core
import Kafka
import Ops
import Worker

/// The look at the broker before the worker starts: what cannot work is told with its remedy, what
/// is merely not as the contract says is a warning.
struct Audit {
  /// How long one look may take.
  private static let patience: Int64 = 5000
  /// Between two looks, in milliseconds.
  private static let pause = 200

  private let settings: WorkerSettings
  private let logger: Logger
  private let notices: NoticeLog

  init(_ settings: WorkerSettings, _ logger: Logger, _ notices: NoticeLog) {
    self.settings = settings
    self.logger = logger
    self.notices = notices
  }

  /// What came of it.
  enum Outcome: Equatable {
    /// All topics have this number of partitions.
    case sound(partitions: Int32)
    /// The worker must not start; it ends with this code.
    case unsound(code: Int32)
  }

  /// Looks, again and again while no broker answers.
  func run(_ patience: StartPatience) -> Outcome {
    if let conflict = settings.connection.names.conflict {
      return refuse(conflict, remedy: "give each topic a name of its own (--topic)")
    }
    do throws(KafkaError) {
      let clients = try settings.clients(shard: 0)
      for caution in clients.cautions {
        logger.log(.warning, "a setting will hardly work", ["detail": .text(caution)])
      }
      let limit = min(Self.patience, patience.remaining ?? .max)
      let admin = try Admin(
        clients, timeout: .milliseconds(max(1, limit)), notify: notices.notify)
      while true {
        do throws(KafkaError) {
          let answers = try admin.answers(on: settings.connection.names)
          notices.noteAnswer(true)
          return judge(answers)
        } catch {
          guard error.disposition == .again else { throw error }
          if let refusal = notices.refusal {
            return refuse(
              refusal,
              remedy: "see that security.protocol is that of the listener, and sasl.* a user's")
          }
          guard patience.goesOn(after: error.text) else {
            return .unsound(code: ExitCode.unavailable)
          }
        }
        Pause.until(.now + .milliseconds(Self.pause))
      }
    } catch {
      return refuse(error.text, remedy: remedy(for: error))
    }
  }

  private func judge(_ answers: TopicAnswers) -> Outcome {
    var outcome = Outcome.sound(partitions: answers.counts.common ?? 0)
    for difference in TopicDifference.all(in: answers, partitions: nil) {
      if let remedy = remedy(for: difference) {
        outcome = refuse(difference.description, remedy: remedy)
      } else {
        warn(of: difference)
      }
    }
    return outcome
  }

  private func warn(of difference: TopicDifference) {
    switch difference {
    case .setting(let name, let wanted, let value):
      logger.log(
        .warning, "a topic's setting is not the contract's",
        [
          "topic": .text(name), "setting": .text(wanted.name),
          "found": .text(value ?? "unknown"), "contract": .text(wanted.value),
        ])
    case .unreadable(let name, let reason):
      logger.log(
        .warning, "a topic's settings cannot be read, and are not checked",
        ["topic": .text(name), "detail": .text(reason), "remedy": .text(settings.permission)])
    case .missing, .denied, .compacted, .partitions, .unequal: return
    }
  }

  private func refuse(_ problem: String, remedy: String) -> Outcome {
    logger.log(
      .error, "the worker cannot start", ["problem": .text(problem), "remedy": .text(remedy)])
    return .unsound(code: ExitCode.configuration)
  }

  private func remedy(for error: KafkaError) -> String {
    if error.denial != nil { return settings.permission }
    return switch error {
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
    case .denied: settings.permission
    case .unreadable: nil
    case .partitions, .unequal:
      "make the topics anew with one number of partitions (rollcall topics apply --partitions)"
    case .compacted(let name, _): policyRemedy(name, "delete")
    case .setting(let name, let wanted, let found):
      // A changelog that is not compacted loses state (delete), or grows without bound.
      name == settings.connection.names[.state] && wanted.name == "cleanup.policy" && found != nil
        ? policyRemedy(name, "compact") : nil
    }
  }

  private func policyRemedy(_ topic: String, _ policy: String) -> String {
    "kafka-configs --alter --entity-type topics --entity-name \(topic) "
      + "--add-config cleanup.policy=\(policy)"
  }
}
