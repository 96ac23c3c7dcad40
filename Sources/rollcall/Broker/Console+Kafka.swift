import Kafka

extension Console {
  /// Tells what went wrong with Kafka.
  static func complain(_ error: KafkaError, _ connection: Connection) -> Int32 {
    if case .configuration = error { return complain(error.text, ExitCode.configuration) }
    let user = error.denial == nil ? nil : connection.principal
    return complain(error.text + (user.map { " to \($0)" } ?? ""), ExitCode.unavailable)
  }

  /// Tells of Kafka's clients what an operator must know; what they deal with by themselves is
  /// left out.
  static let notify: Notify = { notice in
    guard notice.level == .error else { return }
    _ = complain("\(notice.label): \(notice.text)", ExitCode.failed)
  }
}

extension Connection {
  /// Does what needs Kafka, and tells what goes wrong with it.
  ///
  /// - Returns: the code to exit with.
  func complaining(_ body: () throws(KafkaError) -> Int32) -> Int32 {
    do throws(KafkaError) { return try body() } catch { return Console.complain(error, self) }
  }
}
