import CKafka
import Glibc

/// A file descriptor that librdkafka writes to when one of the queues tied to it gets its first
/// entry, so that one thread can wait for many queues.
final class Waker {
  private let descriptor: Int32

  init() throws(KafkaError) {
    descriptor = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
    guard descriptor >= 0 else {
      throw .configuration("the process may open no more files (errno \(errno)): raise its limit")
    }
  }

  deinit { Glibc.close(descriptor) }

  /// Ties a queue to the descriptor. Only the change from empty to not empty is told.
  func watch(_ queue: OpaquePointer) {
    // What is written; the library copies it.
    var one: UInt64 = 1
    unsafe rd_kafka_queue_io_event_enable(queue, descriptor, &one, MemoryLayout<UInt64>.size)
  }

  /// Unties a queue.
  func ignore(_ queue: OpaquePointer) {
    unsafe rd_kafka_queue_io_event_enable(queue, -1, nil, 0)
  }

  /// Forgets what was told so far; to be called before the queues are looked at.
  func reset() {
    var told: UInt64 = 0
    // Fails with EAGAIN when nothing was told, which is as good.
    _ = unsafe read(descriptor, &told, MemoryLayout<UInt64>.size)
  }

  /// Waits until something is told, a signal comes or the time is over.
  func wait(_ timeout: Duration) {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    _ = unsafe poll(&entry, 1, timeout.milliseconds)
  }
}
