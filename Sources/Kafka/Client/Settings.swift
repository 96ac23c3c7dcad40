/// All properties of the clients of one worker: our short list, overridden by the user's.
package struct Settings: Sendable {
  /// The group's name.
  package let group: String
  /// How long a commit is repeated before its producer is given up.
  package private(set) var commitDeadline: Duration
  /// What an operator should know about settings that are allowed but will not do.
  package let cautions: [String]

  private let identity: Identity
  private let user: [Property]

  /// Who the clients are.
  package struct Identity: Sendable {
    /// `host:port`, separated by commas.
    package var bootstrapServers: String
    /// The consumer group.
    package var group: String
    /// Names the producer over restarts; two producers with the same one fence each other.
    package var transactionalId: String
    /// Names the group's member over restarts; nil for a member that is new at each start.
    package var groupInstanceId: String?
    /// What brokers write into their logs.
    package var clientId: String

    /// Names the clients.
    package init(
      bootstrapServers: String, group: String, transactionalId: String, groupInstanceId: String?,
      clientId: String
    ) {
      self.bootstrapServers = bootstrapServers
      self.group = group
      self.transactionalId = transactionalId
      self.groupInstanceId = groupInstanceId
      self.clientId = clientId
    }
  }

  /// How long a commit may take at most, whatever else is set.
  static let longestCommit = Duration.seconds(6)

  /// Puts the properties together and checks them.
  ///
  /// - Parameter commitDeadline: nil: as long as a record may take, at most 6 s, so that shorter
  ///   timeouts can be set together.
  /// - Throws: `KafkaError.configuration`.
  package init(
    _ identity: Identity, properties user: [Property] = [], commitDeadline: Duration? = nil
  ) throws(KafkaError) {
    self.group = identity.group
    self.commitDeadline = commitDeadline ?? Self.longestCommit
    self.identity = identity
    self.user = user
    self.cautions = Self.cautions(user)
    if let property = user.first(where: { Self.fixed.contains($0.name) }) {
      throw .configuration(
        "Kafka property \(property.name) cannot be set: exactly-once depends on it, "
          + "or an option of its own sets it")
    }
    try Self.checkMechanism(user)
    let producer = try Configuration(producer)
    if commitDeadline == nil {
      let message = Duration.milliseconds(try producer.number("message.timeout.ms"))
      self.commitDeadline = min(Self.longestCommit, message)
    }
    try Self.check(
      consumer: Configuration(consumer), producer: producer, self.commitDeadline, user)
  }

  /// Of each client, in the order in which they are set: a later one overrides.
  var common: [Property] {
    [
      Property("bootstrap.servers", identity.bootstrapServers),
      Property("client.id", identity.clientId),
      // A broker that is back is found again within a second, not ten.
      Property("reconnect.backoff.ms", "50"),
      Property("reconnect.backoff.max.ms", "1000"),
      // Small requests do not wait for more.
      Property("socket.nagle.disable", "true"),
      // An output that was deleted is missed, not made anew with other settings.
      Property("allow.auto.create.topics", "false"),
      // The embedded broker knows no limit to a fetch; Kafka's answers are far smaller.
      Property("receive.message.max.bytes", "2000000000"),
    ]
  }

  /// Of the group's member.
  var consumer: [Property] {
    var properties = common
    properties += [
      Property("group.id", identity.group),
      // Positions are committed by the producer's transactions and by nothing else.
      Property("enable.auto.commit", "false"),
      Property("enable.auto.offset.store", "false"),
      // Also makes committed offsets wait for a predecessor's open transaction.
      Property("isolation.level", "read_committed"),
      // A position that is gone is an error to be looked at, not a jump.
      Property("auto.offset.reset", "error"),
      // Tells when a topic is read to its end.
      Property("enable.partition.eof", "true"),
      // Gives everything up and takes it again, which makes a skipped record harmless.
      Property("partition.assignment.strategy", "range"),
      Property("session.timeout.ms", "10000"),
      // A request to a broker that hangs is given up. (The producer's follows its transaction's.)
      Property("socket.timeout.ms", "10000"),
      Property("heartbeat.interval.ms", "1000"),
      Property("max.poll.interval.ms", "60000"),
      // A quiet topic answers soon, so that a drained queue is filled again soon.
      Property("fetch.wait.max.ms", "50"),
      Property("fetch.error.backoff.ms", "100"),
      // Each counts for one topic-partition. Fewer records than one answer brings starve it.
      Property("queued.min.messages", "20000"),
      Property("queued.max.messages.kbytes", "16384"),
      Property("check.crcs", "true"),
    ]
    if Library.number >= Library.settableQueuePause {
      // Before, a partition whose queue was full is not fetched for up to a second.
      properties.append(Property("fetch.queue.backoff.ms", "50"))
    }
    if let instance = identity.groupInstanceId {
      properties.append(Property("group.instance.id", instance))
    }
    return properties + user
  }

  /// Of the transactional producer; idempotence and `acks=all` follow from the id.
  var producer: [Property] {
    common + [
      Property("transactional.id", identity.transactionalId),
      Property("transaction.timeout.ms", "8000"),
      Property("message.timeout.ms", "6000"),
      // A commit waits for the last record, so records wait for one another hardly at all.
      Property("linger.ms", "1"),
      Property("compression.codec", "lz4"),
      // The delay of a transaction that begins right after another: the broker still writes the
      // markers of the former, and has the producer try again.
      Property("retry.backoff.ms", "5"),
      // 1 MiB + 64 KiB, the output topics' limit: every output fits.
      Property("message.max.bytes", "1114112"),
      // Of a million delivered records nobody needs to know.
      Property("delivery.report.only.error", "true"),
    ] + user
  }

  /// Of a producer without transactions, which gives no record up while a broker is away.
  var plainProducer: [Property] {
    common + [
      Property("message.timeout.ms", "300000"),
      Property("linger.ms", "5"),
      // With more than one on its way a repeated request can overtake the next.
      Property("max.in.flight.requests.per.connection", "1"),
    ] + user + [
      Property("acks", "all"),
      Property("delivery.report.only.error", "true"),
    ]
  }

  /// Of the handle that asks for the ends of partitions, open transactions included.
  var ends: [Property] {
    common + user + [
      Property("isolation.level", "read_uncommitted"),
      // The library repeats such a query within this time, whatever the call's own limit.
      Property("socket.timeout.ms", "3000"),
    ]
  }

  /// Of the handle for topics and groups.
  var admin: [Property] { common + user }

  /// What the user cannot set.
  private static let fixed: Set<String> = [
    "bootstrap.servers", "metadata.broker.list", "group.id", "group.instance.id",
    "transactional.id", "client.id", "enable.auto.commit", "auto.commit.enable",
    "enable.auto.offset.store", "isolation.level", "auto.offset.reset", "enable.partition.eof",
    "enable.idempotence", "acks", "request.required.acks", "delivery.report.only.error",
  ]
}
