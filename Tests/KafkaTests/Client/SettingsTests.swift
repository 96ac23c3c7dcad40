import Testing

@testable import Kafka

@Suite struct SettingsTests {
  private func settings(
    _ properties: [Property], commitDeadline: Duration? = nil
  ) throws(KafkaError) -> Settings {
    try Settings(
      .init(
        bootstrapServers: "localhost:9092", group: "g", transactionalId: "g-a-0",
        groupInstanceId: nil, clientId: "test"),
      properties: properties, commitDeadline: commitDeadline)
  }

  private func refusal(_ properties: [Property], commitDeadline: Duration? = nil) -> String? {
    do throws(KafkaError) {
      _ = try settings(properties, commitDeadline: commitDeadline)
      return nil
    } catch {
      #expect(error.disposition == .exit)
      return error.text
    }
  }

  @Test func `The defaults are accepted`() { #expect(refusal([]) == nil) }

  @Test("Shorter timeouts in their order are accepted, and the commit's follows the record's")
  func shorter() throws {
    let settings = try settings([
      Property("message.timeout.ms", "4000"), Property("transaction.timeout.ms", "5000"),
      Property("session.timeout.ms", "6000"),
    ])
    #expect(settings.commitDeadline == .seconds(4))
  }

  @Test(arguments: [
    (
      "message.timeout.ms", "8000", "message.timeout.ms (8000 ms)",
      "transaction.timeout.ms (8000 ms)"
    ),
    (
      "transaction.timeout.ms", "6000", "the commit deadline (6000 ms)",
      "transaction.timeout.ms (6000 ms)"
    ),
    (
      "delivery.timeout.ms", "9000", "message.timeout.ms (9000 ms)",
      "transaction.timeout.ms (8000 ms)"
    ),
    (
      "transaction.timeout.ms", "10000", "transaction.timeout.ms (10000 ms)",
      "session.timeout.ms (10000 ms)"
    ),
    (
      "session.timeout.ms", "60000", "session.timeout.ms (60000 ms)",
      "max.poll.interval.ms (60000 ms)"
    ),
    ("message.timeout.ms", "0", "message.timeout.ms", "transaction.timeout.ms (8000 ms)"),
  ])
  func `Timeouts out of order are refused, with both values named`(
    name: String, value: String, shorter: String, longer: String
  ) throws {
    let text = try #require(refusal([Property(name, value)]))
    #expect(text.contains(shorter))
    #expect(text.contains(longer))
  }

  @Test func `A commit deadline that reaches the transaction's timeout is refused`() throws {
    let text = try #require(refusal([], commitDeadline: .seconds(9)))
    #expect(
      text.hasPrefix(
        "the commit deadline (9000 ms) must be below transaction.timeout.ms (8000 ms)"))
  }

  @Test
  func `A default that stands against what was set is named as one, with what changes it`() throws {
    #expect(
      refusal([Property("session.timeout.ms", "8000")])
        == "transaction.timeout.ms (8000 ms) must be below session.timeout.ms (8000 ms): "
        + "8000 ms is Rollcall's default of transaction.timeout.ms, which "
        + "--kafka transaction.timeout.ms=MS changes")
    let both = [Property("session.timeout.ms", "8000"), Property("transaction.timeout.ms", "8500")]
    #expect(
      refusal(both)
        == "transaction.timeout.ms (8500 ms) must be below session.timeout.ms (8000 ms)")
  }

  @Test func `What exactly-once depends on cannot be set`() throws {
    for name in ["isolation.level", "enable.auto.commit", "transactional.id", "acks"] {
      let text = try #require(refusal([Property(name, "x")]))
      #expect(text.contains(name))
    }
  }

  @Test func `An unknown property and a bad value are refused by name`() throws {
    #expect(try #require(refusal([Property("no.such", "1")])).contains("no.such"))
    #expect(try #require(refusal([Property("linger.ms", "soon")])).contains("linger.ms"))
  }

  @Test func `cooperative-sticky is refused where the library loses records with it`() throws {
    let text = refusal([Property("partition.assignment.strategy", "cooperative-sticky")])
    if Library.number < 0x0206_0100 {
      #expect(try #require(text).contains("cooperative-sticky"))
    } else {
      #expect(text == nil)
    }
  }

  @Test func `The user's properties override ours in every client`() throws {
    let settings = try settings([
      Property("linger.ms", "20"), Property("compression.codec", "zstd"),
    ])
    #expect(try Configuration(settings.producer).value("linger.ms") == "20")
    #expect(try Configuration(settings.producer).value("compression.codec") == "zstd")
    #expect(try Configuration(settings.consumer).value("isolation.level") == "read_committed")
    #expect(try Configuration(settings.ends).value("isolation.level") == "read_uncommitted")
  }

  @Test func `SCRAM with an old library is allowed and warned of`() throws {
    let cautions = try settings([
      Property("security.protocol", "SASL_SSL"), Property("sasl.mechanisms", "SCRAM-SHA-512"),
    ]).cautions
    #expect(cautions.count == (Library.number < 0x0206_0100 ? 1 : 0))
  }
}
