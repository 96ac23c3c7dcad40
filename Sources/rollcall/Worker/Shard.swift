import Core
import Kafka
import Ops
import Worker

/// One member of the group: a thread, its clients, and the worker on them.
struct Shard: Sendable {
  /// Between two attempts to make the clients, in milliseconds.
  private static let pause = 500
  /// Before the step after one that failed, in milliseconds.
  private static let moment = 20
  /// Who is fenced twice within this time has a rival, in milliseconds.
  private static let fencingWindow: Int64 = 60_000

  let number: Int
  let settings: WorkerSettings
  let configuration: WorkerConfiguration
  let stop: StopRequest
  let logger: Logger
  let notices: NoticeLog
  let patience: StartPatience
  let skips: SkipLog

  private static var now: Instant { Instant(milliseconds: WallClock.milliseconds) }

  /// Works until a stop is requested; ends the whole process where it cannot go on.
  func run() {
    var fencedAt: Int64?
    while !stop.isRequested {
      do throws(WorkerFailure) {
        return try work()
      } catch {
        guard joinsAgain(after: error, fencedAt: &fencedAt) else { return giveUp(error) }
      }
    }
  }

  /// Whether a new consumer in the old one's place mends it.
  private func joinsAgain(after failure: WorkerFailure, fencedAt: inout Int64?) -> Bool {
    switch failure.label {
    case LogFailure.lostSession: break
    case LogFailure.fencedInstance:
      // The answer to a request to join may be lost within a session, too, but hardly twice.
      let now = WallClock.uptimeMilliseconds
      if let fencedAt, now - fencedAt < Shard.fencingWindow { return false }
      fencedAt = now
    default: return false
    }
    logger.log(
      .warning, "this worker's place in the group is taken; it joins again",
      [
        ("reason", .text(failure.label)), ("instanceId", .text(settings.instanceId)),
        ("shard", .number(Int64(number))),
      ])
    return true
  }

  /// Joins the group, and works until a stop is requested.
  private func work() throws(WorkerFailure) {
    guard let log = try open() else { return }
    let worker = Worker(log: log, configuration: configuration)
    var steps = StepLog(
      logger, settings, shard: number, partitions: configuration.partitionCount, now: Shard.now)
    do throws(WorkerFailure) {
      while !stop.isRequested {
        let start = Shard.now
        let report = try worker.step(
          now: start, uptime: WallClock.uptimeMilliseconds)
        steps.note(report, from: start, to: Shard.now) {
          var status = worker.status
          status.lagRecords = log.lag(status.positions, pinned: status.pinned)
          return status
        }
        skips.note(report)
        if notices.wantsAnswer { notices.noteAnswer(log.isAnswered) }
        // What fails at once would fail a thousand times a second.
        if report.isHeldUp { stop.wait(milliseconds: Shard.moment) }
      }
    } catch {
      log.endsForGood = error.exitCode == ExitCode.configuration
      log.close()
      throw error
    }
    // Another shard may have found that out.
    log.endsForGood = stop.code == ExitCode.configuration
    let end = Shard.now
    steps.note(worker.drain(now: end), from: end, to: end) { nil }
  }

  private func giveUp(_ error: WorkerFailure) {
    var fields: [(String, Logger.Value)] = [
      ("reason", .text(error.label)), ("detail", .text(error.sentence)),
    ]
    if let remedy = remedy(for: error) { fields.append(("remedy", .text(remedy))) }
    logger.log(.error, "the worker cannot go on", fields)
    stop.request(code: error.exitCode)
  }

  /// Makes the clients, again and again while that may still help; nil once a stop is requested.
  private func open() throws(WorkerFailure) -> KafkaLog? {
    while !stop.isRequested {
      do throws(LogFailure) {
        return try KafkaLog(
          clients(), names: settings.connection.names, notify: notices.notify,
          mayJoin: patience.join)
      } catch {
        if error.disposition == .exit {
          throw WorkerFailure(label: error.label, detail: error.detail)
        }
        guard patience.goesOn(after: error.detail) else {
          throw WorkerFailure(label: WorkerFailure.startTimeout, detail: error.detail)
        }
        stop.wait(milliseconds: Shard.pause)
      }
    }
    return nil
  }

  private func clients() throws(LogFailure) -> Settings {
    do throws(KafkaError) {
      return try settings.clients(shard: number)
    } catch {
      throw LogFailure(error)
    }
  }
}

extension Shard {
  /// How to mend it, where the detail does not say it.
  private func remedy(for failure: WorkerFailure) -> String? {
    switch failure.label {
    case "invalid_transaction_timeout":
      "lower transaction.timeout.ms, or raise the brokers' transaction.max.timeout.ms"
    case "invalid_session_timeout":
      "set session.timeout.ms between the brokers' group.min.session.timeout.ms and "
        + "group.max.session.timeout.ms"
    case "topic_authorization_failed", "group_authorization_failed",
      "transactional_id_authorization_failed", "cluster_authorization_failed":
      settings.permission
    case LogFailure.fenced, LogFailure.fencedInstance:
      "give every worker of the pool an --instance-id of its own; this one's is "
        + settings.instanceId
    case "offset_out_of_range", "auto_offset_reset":
      "start again: the partition's offsets are checked, and the log says what is missing"
    default: nil
    }
  }
}

extension WorkerFailure {
  /// The label of a start that has taken too long.
  fileprivate static let startTimeout = "start_timeout"

  /// What is wrong, in words for an operator.
  fileprivate var sentence: String {
    label == LogFailure.fencedInstance
      ? "another worker has joined the group under this one's --instance-id, twice within a minute"
      : detail
  }

  /// What the process exits with.
  fileprivate var exitCode: Int32 {
    switch label {
    case LogFailure.groupDiffers, LogFailure.threadsChanged, LogFailure.partitionCountChanged,
      "configuration",
      "invalid_transaction_timeout", "invalid_session_timeout", "inconsistent_group_protocol":
      ExitCode.configuration
    case WorkerFailure.startTimeout: ExitCode.unavailable
    default: ExitCode.failed
    }
  }
}
