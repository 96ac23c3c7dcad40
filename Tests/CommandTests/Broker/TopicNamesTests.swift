import Core
import Testing
import Worker

@testable import rollcall

@Suite("The topics' names") struct TopicNamesTests {
  @Test func `Two topics of one name are named, with the name`() {
    #expect(TopicNames(prefix: "a.").conflict == nil)
    #expect(
      TopicNames(prefix: "a.", overrides: [.receipts: "a.chat.messages"]).conflict
        == "chat.messages and chat.receipts have one name, a.chat.messages")
    #expect(
      TopicNames(overrides: [.events: "x", .state: "x"]).conflict
        == "chat.events and rollcall.state have one name, x")
  }
}
