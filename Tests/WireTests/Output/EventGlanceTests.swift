import Core
import Testing
import Wire

@Suite("An event at a glance") struct EventGlanceTests {
  private func glance(_ event: String) -> EventGlance? {
    let bytes = Array(event.utf8)
    return EventGlance(bytes.span)
  }

  @Test(
    arguments: [
      (#"ReadByAll","cause":"left","receipt":{"messageIds":[1,2,3],"readAt":7.25}}"#, 3, 7250),
      (#"DeliveredToAll","receipt":{"messageIds":[1],"deliveredAt":9}}"#, 1, 9000),
      (#"ReadByAll","receipt":{"messageIds":[1],"readAt":1.0019}}"#, 1, 1001),
    ] as [(String, Int, Int64)])
  func `An announcement tells its messages and when they were complete`(
    _ rest: String, _ messages: Int, _ milliseconds: Int64
  ) {
    let glance = glance(#"{"event":"messages"# + rest)
    #expect(glance?.isAnnouncement == true)
    #expect(glance?.ids.count == messages)
    #expect(glance?.time == Instant(milliseconds: milliseconds))
  }

  @Test func `A delete and a thread tell what the demo says of them`() {
    let deleted = glance(
      #"{"event":"messageDeleted","conversationId":"group_g1","to":{"guid":"g1"},"message":"#
        + #"{"id":7,"text":"a","deletedAt":2,"deletedBy":"u2","updatedAt":2}}"#)
    #expect(deleted?.kind == .deleted && deleted?.isAnnouncement == false)
    #expect(deleted?.conversation == "group_g1")
    #expect(deleted?.ids == [7] && deleted?.detail == "u2")
    let thread = glance(
      #"{"event":"threadUpdated","parentMessageId":5,"replyCount":1,"lastReplyAt":null}"#)
    #expect(thread?.ids == [5] && thread?.detail == "1" && thread?.time == nil)
  }

  @Test func `Other events are not looked at, and a time that is none is no time`() {
    #expect(glance(#"{"event":"messagesRead"}"#) == nil)
    #expect(glance("") == nil)
    let endless = #"{"event":"messagesReadByAll","readAt":"# + String(repeating: "9", count: 30)
    #expect(glance(endless) != nil)
    #expect(glance(endless)?.time == nil)
    #expect(glance(endless + "}")?.time == nil)
  }
}
