import Kafka
import Wire

/// Why nothing can be said of a pool.
enum VerifyFailure: Error {
  case kafka(KafkaError)
  /// The command line and the pool do not fit together.
  case mismatch(String)
  /// Records that it needs are gone.
  case gone(TopicPartition, below: Int64)
  /// The pool did not come to rest in time.
  case unsettled(String)
  case unreadableState(partition: Int32, StateError)

  /// Tells of it.
  ///
  /// - Returns: the code to exit with.
  func complain(_ connection: Connection) -> Int32 {
    switch self {
    case .kafka(let error): return Console.complain(error, connection)
    case .mismatch(let text): return Console.complain(text, ExitCode.configuration)
    case .gone(let lane, let offset):
      return Console.complain(
        "\(lane.topic)/\(lane.partition) begins at offset \(offset): what was before is gone, and "
          + "without it nobody can tell what had to be announced (--from-state judges what comes "
          + "from now on)",
        ExitCode.noInput)
    case .unsettled(let text): return Console.complain(text, ExitCode.undecided)
    case .unreadableState(let partition, let error):
      return Console.complain(
        "the state of partition \(partition) cannot be read: \(error.label)", ExitCode.failed)
    }
  }

  /// Makes a call to Kafka.
  static func calling<R: ~Copyable>(
    _ body: () throws(KafkaError) -> R
  ) throws(VerifyFailure) -> R {
    do throws(KafkaError) { return try body() } catch { throw .kafka(error) }
  }
}
