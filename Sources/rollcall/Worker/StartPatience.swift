import Ops
import Synchronization

/// Waiting for Kafka at the start: the checks and the shards share it.
final class StartPatience: Sendable {
  /// Who waits says so this often, in milliseconds.
  private static let interval: Int64 = 10_000

  private enum Phase {
    case waiting, joined, abandoned
  }

  private struct State {
    var phase = Phase.waiting
    var toldAt: Int64
  }

  private let logger: Logger
  private let notices: NoticeLog
  private let bootstrapServers: String
  private let startedAt: Int64
  /// In milliseconds; 0: no bound.
  private let limit: Int64
  private let now: @Sendable () -> Int64
  private let state: Mutex<State>

  /// Begins to wait.
  init(
    _ settings: WorkerSettings, _ logger: Logger, _ notices: NoticeLog,
    now: @escaping @Sendable () -> Int64 = { WallClock.milliseconds }
  ) {
    self.logger = logger
    self.notices = notices
    self.now = now
    bootstrapServers = settings.connection.bootstrapServers
    limit = settings.startTimeout
    startedAt = now()
    state = Mutex(State(toldAt: startedAt))
  }

  /// What is left of the time, in milliseconds; nil without a bound.
  var remaining: Int64? { limit == 0 ? nil : max(0, startedAt + limit - now()) }

  /// Notes that an attempt has failed, and tells of it now and then.
  ///
  /// - Returns: whether another may be made.
  func goesOn(after failure: String) -> Bool {
    let now = now()
    let isDue = state.withLock { state in
      guard abs(now - state.toldAt) >= Self.interval else { return false }
      state.toldAt = now
      return true
    }
    // The attempt says that nobody answered; the clients, why.
    let fields: [(String, Logger.Value)] = [
      ("bootstrapServers", .text(bootstrapServers)),
      ("seconds", .number((now - startedAt) / 1000)),
      ("lastError", .text(notices.lastError ?? failure)),
      (
        "remedy",
        .text("see that a broker answers there, and that security.protocol is its listener's")
      ),
    ]
    // Who has joined before comes back as it would while running.
    guard remaining != 0 || state.withLock({ $0.phase == .joined }) else {
      logger.log(.error, "Kafka has not answered in time: the worker ends", fields)
      return false
    }
    if isDue { logger.log(.warning, "waiting for Kafka", fields) }
    return true
  }

  /// Notes that a shard is about to join the group; false where the start was given up.
  func join() -> Bool {
    state.withLock { state in
      if state.phase == .waiting { state.phase = .joined }
      return state.phase == .joined
    }
  }

  /// Gives the start up; false where a shard has joined the group, which is to be left then.
  func abandon() -> Bool {
    state.withLock { state in
      if state.phase == .waiting { state.phase = .abandoned }
      return state.phase == .abandoned
    }
  }
}
