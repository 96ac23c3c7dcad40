/// How many have received and read a message, and how many are waited for.
package struct Counts: Equatable, Sendable {
  /// How many have received it, leavers too.
  package var delivered: Int32
  /// How many are still waited for to receive it.
  package var pendingDelivered: Int32
  /// How many have read it, leavers too.
  package var read: Int32
  /// How many are still waited for to read it.
  package var pendingRead: Int32

  /// Counts of one message.
  package init(
    delivered: Int32 = 0, pendingDelivered: Int32 = 0, read: Int32 = 0, pendingRead: Int32 = 0
  ) {
    self.delivered = delivered
    self.pendingDelivered = pendingDelivered
    self.read = read
    self.pendingRead = pendingRead
  }

  /// Counts one member of the audience, or what a receipt has changed of one.
  static func += (counts: inout Counts, step: Counts) {
    counts.delivered += step.delivered
    counts.pendingDelivered += step.pendingDelivered
    counts.read += step.read
    counts.pendingRead += step.pendingRead
  }

  /// Whether nobody is waited for any more, and somebody has really done it.
  var isDelivered: Bool { pendingDelivered == 0 && delivered > 0 }
  /// The same for reading.
  var isRead: Bool { pendingRead == 0 && read > 0 }
}

/// When a message was announced as delivered to all and read by all.
package struct Announced: Equatable, Sendable {
  /// When it was announced as delivered to all; nil: not yet.
  package var deliveredAt: Instant?
  /// When it was announced as read by all; nil: not yet.
  package var readAt: Instant?

  /// What was announced, and when.
  package init(deliveredAt: Instant? = nil, readAt: Instant? = nil) {
    self.deliveredAt = deliveredAt
    self.readAt = readAt
  }
}
