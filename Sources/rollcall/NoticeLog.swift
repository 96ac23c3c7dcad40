import Kafka
import Ops
import Synchronization

/// What the Kafka clients have to tell, in the log; the same again only after a while.
final class NoticeLog: Sendable {
  /// A broker that is away is told of so seldom, in milliseconds.
  private static let silence: Int64 = 10_000

  private let logger: Logger
  /// When each notice was last told. The library's words are few, so these are.
  private let told = Mutex<[String: Int64]>([:])

  init(_ logger: Logger) { self.logger = logger }

  /// Takes a notice on any thread.
  var notify: Notify { { [self] notice in take(notice) } }

  private func take(_ notice: Notice) {
    let now = WallClock.milliseconds
    let isNew = told.withLock { told in
      if let last = told[notice.label], abs(now - last) < NoticeLog.silence { return false }
      told[notice.label] = now
      return true
    }
    guard isNew else { return }
    logger.log(
      level(of: notice), "kafka client",
      ["notice": .text(notice.label), "detail": .text(notice.text)])
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
