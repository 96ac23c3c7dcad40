/// Something that a client has to tell and that no call answers with: a log line of the library's,
/// or an error that it deals with by itself.
package struct Notice: Equatable, Sendable {
  /// How much it matters.
  package enum Level: String, CaseIterable, Sendable {
    case error, warning, info, debug

    /// The level that stands for one of syslog's, from 0 (emergency) to 7 (debug).
    init(syslog: Int32) {
      switch syslog {
      case ...3: self = .error
      case 4: self = .warning
      case 5, 6: self = .info
      default: self = .debug
      }
    }
  }

  /// How much it matters.
  package var level: Level
  /// A fixed word: the library's log facility, or the error's label.
  package var label: String
  /// The library's own sentence.
  package var text: String
  /// The error, where it is one and not a mere log line.
  package var error: KafkaError?
}

/// Takes notices, on whatever thread they arise: the library's own among them.
package typealias Notify = @Sendable (Notice) -> Void
