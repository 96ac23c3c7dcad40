import Kafka
import Ops
import Synchronization

/// What the Kafka clients have to tell, in the log; the same again only after a while.
///
/// A broker that is away makes each client tell the same in its own words, again and again. Here
/// that is one doubt, which a question to the brokers ends or makes certain.
final class NoticeLog: Sendable {
  /// The same notice is logged at most once in this time, in milliseconds.
  private static let silence: Int64 = 10_000
  /// The same for lost connections, of which there may be many.
  private static let linkSilence: Int64 = 60_000
  /// How long nobody answers before it is an error, and how often it is told again.
  private static let outage: Int64 = 30_000
  private static let reminder: Int64 = 60_000
  /// How often the brokers are asked while in doubt.
  private static let questions: Int64 = 5000

  /// Whether there are brokers: something failed, and nobody has answered since.
  private struct Doubt {
    let since: Int64
    var error: String
    var askedAt: Int64
    var toldAt: Int64?
  }

  private struct State {
    /// When each notice was last told. The library's words are few, so these are.
    var told: [String: Int64] = [:]
    var doubt: Doubt?
    var refusal: String?
  }

  private let logger: Logger
  private let now: @Sendable () -> Int64
  private let state = Mutex(State())

  init(_ logger: Logger, now: @escaping @Sendable () -> Int64 = { WallClock.milliseconds }) {
    self.logger = logger
    self.now = now
  }

  /// Takes a notice on any thread.
  var notify: Notify { { [self] notice in take(notice) } }

  /// What the clients said last of a broker that they could not reach; nil where all is well.
  var lastError: String? { state.withLock(\.doubt?.error) }

  /// Why the brokers let nobody with these credentials in; nil while they do.
  var refusal: String? { state.withLock(\.refusal) }

  /// Whether it is time to ask the brokers something, to be told by `noteAnswer`.
  var wantsAnswer: Bool {
    let now = now()
    return state.withLock { state in
      guard let doubt = state.doubt, abs(now - doubt.askedAt) >= Self.questions else {
        return false
      }
      state.doubt?.askedAt = now
      return true
    }
  }

  /// Notes whether a broker has answered; tells of an outage when it is one, and of its end.
  func noteAnswer(_ isThere: Bool) {
    let now = now()
    let doubt = state.withLock { state -> Doubt? in
      let doubt = state.doubt
      if isThere {
        state.doubt = nil
        state.refusal = nil
      } else if let doubt, Self.isDue(doubt, now) {
        state.doubt?.toldAt = now
      }
      return doubt
    }
    guard let doubt else { return }
    let seconds = ("seconds", Logger.Value.number((now - doubt.since) / 1000))
    if isThere {
      guard doubt.toldAt != nil else { return }
      logger.log(.info, "a broker answers again", [seconds])
    } else if Self.isDue(doubt, now) {
      logger.log(.error, "no broker answers", [seconds, ("lastError", .text(doubt.error))])
    }
  }

  private static func isDue(_ doubt: Doubt, _ now: Int64) -> Bool {
    if let toldAt = doubt.toldAt { return now - toldAt >= reminder }
    return now - doubt.since >= outage
  }

  private func take(_ notice: Notice) {
    switch NoticeKind(notice) {
    case .link:
      noteDoubt(notice)
      tell(.warning, "a connection to a broker failed", notice, as: "link", after: Self.linkSilence)
    case .refusal:
      noteDoubt(notice)
      state.withLock { $0.refusal = NoticeKind.words(of: notice) }
      tell(.error, "a broker refuses the credentials", notice, as: "refusal", after: Self.silence)
    case .standstill:
      tell(
        .warning, "the process stood still for longer than the group waits: it begins again",
        notice, as: "standstill", after: Self.silence)
    case .failure:
      // The call that fails of it is told of.
      logger.log(
        .debug, "kafka client",
        ["notice": .text(notice.label), "detail": .text(NoticeKind.words(of: notice))])
    case .other:
      tell(level(of: notice), "kafka client", notice, as: notice.label, after: Self.silence)
    }
  }

  private func noteDoubt(_ notice: Notice) {
    let now = now()
    state.withLock { state in
      if state.doubt == nil {
        state.doubt = Doubt(since: now, error: NoticeKind.words(of: notice), askedAt: now)
      } else if !NoticeKind.isSummary(notice) {
        state.doubt?.error = NoticeKind.words(of: notice)
      }
    }
  }

  private func tell(
    _ level: Logger.Level, _ message: StaticString, _ notice: Notice, as key: String,
    after silence: Int64
  ) {
    let now = now()
    let isNew = state.withLock { state in
      if let last = state.told[key], abs(now - last) < silence { return false }
      state.told[key] = now
      return true
    }
    guard isNew else { return }
    logger.log(
      level, message,
      ["notice": .text(notice.label), "detail": .text(NoticeKind.words(of: notice))])
  }

  /// The library calls errors what it deals with by itself; what it does not comes as a failure.
  private func level(of notice: Notice) -> Logger.Level {
    switch notice.level {
    case .error, .warning: .warning
    case .info: .info
    case .debug: .debug
    }
  }
}

/// What a notice is about.
enum NoticeKind {
  /// A broker that cannot be reached.
  case link
  /// Credentials that a broker does not accept.
  case refusal
  /// A process that was stopped, or starved.
  case standstill
  /// A client that is dead, of which a call answers the same.
  case failure
  case other

  init(_ notice: Notice) {
    switch notice.label {
    case "transport", "all_brokers_down", "resolve", "ssl", "timed_out", "FAIL", "ERROR",
      "REQTMOUT", "CONNECT":
      self = .link
    case "authentication", "sasl_authentication_failed", "unsupported_sasl_mechanism",
      "illegal_sasl_state":
      self = .refusal
    case "max_poll_exceeded", "MAXPOLL": self = .standstill
    case "fatal", "fenced", "fenced_instance_id", "FATAL", "TXNERR", "GETPID", "ADDPARTS",
      "TERMINATE":
      self = .failure
    default: self = .other
    }
  }

  /// Whether it only sums up what others have told better.
  static func isSummary(_ notice: Notice) -> Bool {
    notice.label == "all_brokers_down" || notice.label == "REQTMOUT"
  }

  /// The library's sentence without its thread and its advice for programmers.
  static func words(of notice: Notice) -> String {
    var words = notice.text[...]
    if words.hasPrefix("[thrd:"), let thread = words.firstRange(of: "]: ") {
      words = words[thread.upperBound...]
    }
    if let advice = words.firstRange(of: " (adjust max.poll.interval.ms") {
      words = words[..<advice.lowerBound]
    }
    return String(words)
  }
}
