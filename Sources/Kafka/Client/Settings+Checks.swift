extension Settings {
  /// Whether timeouts keep their order, and the assignor is one that this library can be trusted
  /// with.
  static func check(
    consumer: borrowing Configuration, producer: borrowing Configuration,
    _ commitDeadline: Duration, _ user: [Property]
  ) throws(KafkaError) {
    let commit = (Self.commitDeadline, Int(commitDeadline.milliseconds))
    let message = try named(Self.message, in: producer)
    let transaction = try named("transaction.timeout.ms", in: producer)
    let session = try named("session.timeout.ms", in: consumer)
    let poll = try named("max.poll.interval.ms", in: consumer)
    // Librdkafka takes 0 as endless.
    guard message.1 > 0 else {
      throw .configuration(
        "message.timeout.ms (0: endless) must be below \(text(transaction))"
          + advice([transaction], user))
    }
    for (shorter, longer) in [
      // A transaction that the broker has aborted must not be committed or waited for any more.
      (commit, transaction), (message, transaction),
      // A successor that the group lets in waits for what its predecessor left open.
      (transaction, session),
      (session, poll),
    ] {
      guard shorter.1 < longer.1 else {
        throw .configuration(
          "\(text(shorter)) must be below \(text(longer))" + advice([shorter, longer], user))
      }
    }
    let assignors = consumer.value("partition.assignment.strategy") ?? ""
    if assignors.contains("cooperative"), Library.number < Library.mendedGroupsAndSCRAM {
      throw .configuration(
        "partition.assignment.strategy=\(assignors) loses records with librdkafka "
          + "\(Library.version): use range, or librdkafka 2.6.1 or later")
    }
  }

  /// Whether SASL, where it is asked for, is told how: the library's default is Kerberos, which
  /// then fails with a sentence about programs that nobody has asked for.
  static func checkMechanism(_ user: [Property]) throws(KafkaError) {
    guard let named = user.last(where: { $0.name == "security.protocol" })?.value,
      named.lowercased().hasPrefix("sasl"),
      !user.contains(where: { ["sasl.mechanism", "sasl.mechanisms"].contains($0.name) })
    else { return }
    throw .configuration(
      "security.protocol=\(named) needs sasl.mechanism: PLAIN, SCRAM-SHA-256, SCRAM-SHA-512, "
        + "OAUTHBEARER, or GSSAPI for Kerberos")
  }

  /// What will hardly work with this library.
  static func cautions(_ user: [Property]) -> [String] {
    let names: Set<String> = ["sasl.mechanism", "sasl.mechanisms"]
    let usesSCRAM = user.contains { names.contains($0.name) && $0.value.hasPrefix("SCRAM") }
    guard usesSCRAM, Library.number < Library.mendedGroupsAndSCRAM else { return [] }
    return [
      "SCRAM of librdkafka \(Library.version) is refused by Kafka 4 as invalid credentials: use "
        + "TLS with client certificates, PLAIN over TLS or OAUTHBEARER, or librdkafka 2.6.1"
    ]
  }

  private static func named(
    _ name: String, in configuration: borrowing Configuration
  ) throws(KafkaError) -> (String, Int) {
    (name, try configuration.number(name))
  }

  /// Which of two timeouts nobody has set, and how that is done.
  private static func advice(_ timeouts: [(String, Int)], _ user: [Property]) -> String {
    let names: Set<String> = Set(user.map { $0.name == "delivery.timeout.ms" ? message : $0.name })
    var advice = ""
    for (name, value) in timeouts where !names.contains(name) {
      if name == commitDeadline {
        advice += ": it is that of message.timeout.ms, at most \(longestCommit.milliseconds) ms"
      } else {
        advice += ": \(value) ms is Rollcall's default of \(name), which --kafka \(name)=MS changes"
      }
    }
    return advice
  }

  private static let message = "message.timeout.ms"
  private static let commitDeadline = "the commit deadline"

  private static func text(_ timeout: (String, Int)) -> String {
    "\(timeout.0) (\(timeout.1) ms)"
  }
}
