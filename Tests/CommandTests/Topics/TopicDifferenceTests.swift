import Core
import Testing
import Worker

@testable import rollcall

@Suite("Comparing topics with the contract") struct TopicDifferenceTests {
  /// A broker whose topics are just as the contract says.
  private var topics: [String: TopicDescription] = {
    var topics: [String: TopicDescription] = [:]
    for definition in TopicDefinition.all {
      let settings = (definition.contract + definition.initial).map { ($0.name, $0.value) }
      topics["p." + definition.topic.defaultName] = TopicDescription(
        partitions: 12, settings: Dictionary(uniqueKeysWithValues: settings))
    }
    return topics
  }()

  private func differences(partitions: Int32? = nil) -> [TopicDifference] {
    TopicDifference.all(in: answers, partitions: partitions)
  }

  private var answers: TopicAnswers {
    TopicAnswers(
      names: TopicNames(prefix: "p."),
      byName: topics.mapValues { .described($0) }.merging(
        denied.mapValues { .denied($0) }, uniquingKeysWith: { found, _ in found }))
  }

  private var denied: [String: String] = [:]

  @Test("an input that is compacted, what may not be seen, and unread settings are each named")
  mutating func refused() {
    topics["p.chat.receipts"]?.settings["cleanup.policy"] = "compact,delete"
    topics["p.chat.events"]?.settingsDenied = "DESCRIBE_CONFIGS is not allowed"
    topics["p.chat.deletes"] = nil
    denied["p.chat.deletes"] = "DESCRIBE is not allowed"
    #expect(
      differences() == [
        .compacted(name: "p.chat.receipts", policy: "compact,delete"),
        .denied(name: "p.chat.deletes", reason: "DESCRIBE is not allowed"),
        .unreadable(name: "p.chat.events", reason: "DESCRIBE_CONFIGS is not allowed"),
      ])
  }

  @Test
  mutating func `a single copy and one replica in sync are worth a warning, and no difference`() {
    topics["p.chat.events"]?.copies = 1
    topics["p.rollcall.state"]?.settings["min.insync.replicas"] = "1"
    #expect(differences() == [])
    let cautions = TopicCaution.all(in: answers)
    #expect(
      cautions == [
        "a single copy (replication factor 1), lost with its broker: p.chat.events",
        """
        min.insync.replicas is 1, so that a record can be acknowledged that only one broker has: \
        p.rollcall.state
        """,
      ])
  }

  @Test func `topics as the contract says do not differ`() {
    #expect(differences() == [])
    #expect(differences(partitions: 12) == [])
  }

  @Test
  mutating func `a list may stand in another order, and what is the operator's is not compared`() {
    topics["p.chat.status"]?.settings["cleanup.policy"] = "delete,compact"
    topics["p.chat.events"]?.settings["retention.ms"] = "1"
    #expect(differences() == [])
  }

  @Test mutating func `a missing topic, another value and another number are each named`() {
    topics["p.chat.deletes"] = nil
    topics["p.chat.receipts"]?.partitions = 6
    topics["p.rollcall.state"]?.settings["cleanup.policy"] = "delete"
    topics["p.chat.events"]?.settings["max.message.bytes"] = nil
    #expect(
      differences(partitions: 12).map(\.description) == [
        "p.chat.receipts has 6 partitions, not 12",
        "p.chat.deletes is missing",
        "p.chat.events: max.message.bytes is unknown, not 1114112",
        "p.rollcall.state: cleanup.policy is delete, not compact",
        """
        the topics must have the same number of partitions: p.chat.messages has 12, \
        p.chat.receipts has 6, p.chat.events has 12, p.chat.actions has 12, p.chat.status has 12, \
        p.chat.rejected has 12, p.rollcall.state has 12
        """,
      ])
  }
}
