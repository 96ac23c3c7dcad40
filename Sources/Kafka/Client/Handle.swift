import CKafka
import Glibc

/// Owns one librdkafka client together with what its callbacks write to.
///
/// Whatever belongs to the client (queues, topics) holds the handle, so that the client goes last.
@safe final class Handle {
  let pointer: OpaquePointer
  let callbacks: Callbacks
  /// Whether the group was left, so that destroying the client has not to do it (it can hang).
  var isClosed = false

  /// How long the destruction of a client may take; beyond it a thread is left behind to it.
  private static let destroySeconds = 5

  enum Kind {
    case consumer, producer
  }

  init(_ kind: Kind, _ properties: [Property], notify: @escaping Notify) throws(KafkaError) {
    let callbacks = Callbacks(notify: notify)
    let configuration = try Configuration(properties)
    configuration.install(callbacks)
    let released = unsafe configuration.release()
    let type = kind == .consumer ? RD_KAFKA_CONSUMER : RD_KAFKA_PRODUCER
    let (client, text) = unsafe withErrorText { buffer, size in
      unsafe rd_kafka_new(type, released, buffer, size)
    }
    guard let client = unsafe client else {
      unsafe rd_kafka_conf_destroy(released)
      throw .configuration(text)
    }
    unsafe self.pointer = client
    self.callbacks = callbacks
  }

  deinit {
    unsafe Doomed(client: pointer, callbacks: callbacks, isClosed: isClosed)
      .destroy(within: Self.destroySeconds)
  }

  /// What failed for good, where a call only says that something did.
  func fatalFailure(_ call: KafkaError.Call) -> KafkaError.Failure? {
    let (code, text) = unsafe withErrorText { buffer, size in
      unsafe rd_kafka_fatal_error(pointer, buffer, size)
    }
    guard code != RD_KAFKA_RESP_ERR_NO_ERROR else { return nil }
    var failure = KafkaError.Failure(call, code, text: text)
    failure.isFatal = true
    failure.isRetriable = false
    return failure
  }

  /// The error of a call that answers with a bare code.
  func error(
    _ call: KafkaError.Call, _ code: rd_kafka_resp_err_t, topic: String? = nil
  ) -> KafkaError {
    if code == RD_KAFKA_RESP_ERR__FATAL, let failure = fatalFailure(call) {
      return .failed(failure)
    }
    var failure = KafkaError.Failure(call, code)
    failure.topic = topic
    return .failed(failure)
  }

  /// Makes a call until it succeeds, fails in a way that repeating does not mend, or the time is
  /// over. `body` is given the milliseconds that it may take.
  func repeating<R: ~Copyable>(
    _ call: KafkaError.Call, within timeout: Duration,
    _ body: (Int32) throws(KafkaError) -> R
  ) throws(KafkaError) -> R {
    let deadline = Deadline(after: timeout)
    while true {
      do {
        return try body(max(1, deadline.remaining.milliseconds))
      } catch {
        guard error.disposition == .again else { throw error }
        guard !deadline.hasPassed else {
          if case .failed(let failure) = error { throw .timedOut(call, failure) }
          throw .timedOut(call, nil)
        }
      }
      // Some errors come at once and would come millions of times a second.
      pause(min(.milliseconds(20), deadline.remaining))
    }
  }
}

/// A client on its way out. `rd_kafka_destroy` joins the library's threads and has been seen to
/// hang, so it runs on a thread of its own, which is waited for only so long.
@safe private final class Doomed {
  private let client: OpaquePointer
  /// Must live until the last callback, that is, as long as the client.
  private let callbacks: Callbacks
  private let isClosed: Bool
  private let done = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)

  init(client: OpaquePointer, callbacks: Callbacks, isClosed: Bool) {
    unsafe self.client = client
    self.callbacks = callbacks
    self.isClosed = isClosed
    unsafe sem_init(done, 0, 0)
  }

  deinit {
    unsafe sem_destroy(done)
    unsafe done.deallocate()
  }

  func destroy(within seconds: Int) {
    var thread = pthread_t()
    let argument = unsafe Unmanaged.passRetained(self)
    let failed = unsafe pthread_create(
      &thread, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        let doomed = unsafe Unmanaged<Doomed>.fromOpaque(argument).takeRetainedValue()
        doomed.run()
        return nil
      }, argument.toOpaque())
    guard failed == 0 else {
      unsafe argument.release()
      return run()
    }
    pthread_detach(thread)
    var limit = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &limit)
    limit.tv_sec += seconds
    while unsafe sem_timedwait(done, &limit) != 0, errno == EINTR {}
  }

  private func run() {
    unsafe rd_kafka_destroy_flags(client, isClosed ? 0 : RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE)
    unsafe sem_post(done)
  }
}
