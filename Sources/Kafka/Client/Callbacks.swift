import CKafka
import Synchronization

/// What a client's callbacks write to.
///
/// Log lines come on the library's own threads and go straight to `notify`. Everything else here is
/// touched only inside calls of the thread that owns the client.
final class Callbacks {
  private let notify: Notify
  /// Rebalances that came and were not taken yet; more than one only when the former was lost.
  private var rebalances: [GroupChange] = []
  /// Records of the open transaction that could not be delivered.
  private(set) var undelivered = 0
  /// Whether the client is dead; the handle knows of what.
  fileprivate(set) var sawFatal = false

  /// A topic that an authorizer keeps out of transactions: only the library's log names it.
  private let deniedTopicName = Mutex<String?>(nil)

  init(notify: @escaping Notify) { self.notify = notify }

  /// A topic that may not be written to, once that was refused.
  var deniedTopic: String? { deniedTopicName.withLock { $0 } }

  /// Takes the oldest rebalance that came.
  func nextRebalance() -> GroupChange? {
    rebalances.isEmpty ? nil : rebalances.removeFirst()
  }

  /// Begins to count undelivered records anew.
  func forgetUndelivered() { undelivered = 0 }

  func tell(_ notice: Notice) { notify(notice) }

  fileprivate func noteDenied(_ line: String) {
    guard line.contains("Topic authorization failed"),
      let start = line.firstIndex(of: "\""),
      let end = line[line.index(after: start)...].firstIndex(of: "\"")
    else { return }
    deniedTopicName.withLock { $0 = String(line[line.index(after: start)..<end]) }
  }

  fileprivate func note(_ rebalance: GroupChange) { rebalances.append(rebalance) }

  fileprivate func failedDelivery(_ error: rd_kafka_resp_err_t) {
    undelivered += 1
    // Only the first is told: a transaction whose records fail is aborted as a whole.
    guard undelivered == 1 else { return }
    let failure = KafkaError.failed(.init(.produce, error))
    var text = "A record could not be delivered."
    if case .failed(let what) = failure { text = what.text }
    notify(Notice(level: .warning, label: failure.label, text: text, error: failure))
  }

  /// The callbacks of a client, from the opaque value that its configuration was given.
  fileprivate static func of(_ client: OpaquePointer?) -> Callbacks? {
    guard let client = unsafe client, let opaque = unsafe rd_kafka_opaque(client) else {
      return nil
    }
    return unsafe Unmanaged<Callbacks>.fromOpaque(opaque).takeUnretainedValue()
  }

  /// Sets the callbacks that every kind of client has.
  func install(in configuration: OpaquePointer) {
    unsafe rd_kafka_conf_set_opaque(configuration, Unmanaged.passUnretained(self).toOpaque())
    unsafe rd_kafka_conf_set_log_cb(configuration, logged)
    unsafe rd_kafka_conf_set_error_cb(configuration, failed)
    unsafe rd_kafka_conf_set_rebalance_cb(configuration, rebalanced)
    unsafe rd_kafka_conf_set_dr_msg_cb(configuration, delivered)
  }
}

/// A log line, on any thread.
private func logged(
  client: OpaquePointer?, level: Int32, facility: UnsafePointer<CChar>?,
  text: UnsafePointer<CChar>?
) {
  guard let callbacks = unsafe Callbacks.of(client), let text = unsafe text else { return }
  let line = unsafe String(cString: text)
  // Every client is given all of the user's properties; each warns of those that are not its own.
  if line.contains("will be ignored by this") { return }
  let label = unsafe facility.map { unsafe String(cString: $0) } ?? "LOG"
  if label == "ADDPARTS" { callbacks.noteDenied(line) }
  callbacks.tell(Notice(level: .init(syslog: level), label: label, text: line, error: nil))
}

/// An error that the library deals with by itself, or a fatal one, which the next call answers too.
private func failed(
  client: OpaquePointer?, code: Int32, reason: UnsafePointer<CChar>?,
  opaque: UnsafeMutableRawPointer?
) {
  guard let callbacks = unsafe Callbacks.of(client) else { return }
  let text = unsafe reason.map { unsafe String(cString: $0) }
  if code == RD_KAFKA_RESP_ERR__FATAL.rawValue { callbacks.sawFatal = true }
  let failure = KafkaError.Failure(.poll, rd_kafka_resp_err_t(code), text: text)
  let error = KafkaError.failed(failure)
  callbacks.tell(
    Notice(
      level: failure.isRetriable ? .warning : .error, label: error.label, text: failure.text,
      error: error))
}

/// A rebalance. It is only noted: positions of records that the caller has not seen yet would be
/// committed if it was carried out here, inside the call that fetches them.
private func rebalanced(
  client: OpaquePointer?, code: rd_kafka_resp_err_t,
  list: UnsafeMutablePointer<rd_kafka_topic_partition_list_t>?, opaque: UnsafeMutableRawPointer?
) {
  guard let client = unsafe client, let callbacks = unsafe Callbacks.of(client) else { return }
  if code == RD_KAFKA_RESP_ERR__ASSIGN_PARTITIONS {
    callbacks.note(.assigned(unsafe TopicPartition.all(of: list)))
  } else {
    let lost = unsafe rd_kafka_assignment_lost(client) != 0
    callbacks.note(.revoked(lost: lost || code != RD_KAFKA_RESP_ERR__REVOKE_PARTITIONS))
  }
}

/// A delivery report; only failures are asked for.
private func delivered(
  client: OpaquePointer?, message: UnsafePointer<rd_kafka_message_t>?,
  opaque: UnsafeMutableRawPointer?
) {
  guard let callbacks = unsafe Callbacks.of(client), let message = unsafe message else { return }
  switch unsafe message.pointee.err {
  // What an abort throws away is not a failure of its own.
  case RD_KAFKA_RESP_ERR_NO_ERROR, RD_KAFKA_RESP_ERR__PURGE_QUEUE,
    RD_KAFKA_RESP_ERR__PURGE_INFLIGHT:
    return
  case let error:
    callbacks.failedDelivery(error)
  }
}
