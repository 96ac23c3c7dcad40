import Testing

@testable import Kafka
@testable import rollcall

@Suite("What Kafka's clients say, in the log") struct NoticeLogTests {
  private let log = RecordedLog()
  private let notices: NoticeLog

  init() {
    let log = log
    notices = NoticeLog(log.logger, now: { log.now })
  }

  private func say(_ label: String, _ text: String) {
    notices.notify(Notice(level: .warning, label: label, text: text, error: nil))
  }

  @Test
  func `A broker that is away is one warning, an error after 30 s and each minute, and an end`() {
    for text in ["Connection refused", "Connection refused"] { say("transport", text) }
    say("FAIL", "Connection refused")
    say("all_brokers_down", "1/1 brokers are down")
    #expect(
      log.take() == [
        #""level":"warning","message":"a connection to a broker failed","#
          + #""notice":"transport","detail":"Connection refused"}"#
      ])
    var told: [String] = []
    for _ in 0..<20 {
      log.pass(seconds: 5)
      say("REQTMOUT", "Timed out 1 request")
      #expect(notices.wantsAnswer)
      #expect(!notices.wantsAnswer)
      notices.noteAnswer(false)
      told += log.take().filter { $0.contains("no broker answers") }
    }
    #expect(
      told
        == [30, 90].map { seconds in
          #""level":"error","message":"no broker answers","seconds":\#(seconds),"#
            + #""lastError":"Connection refused"}"#
        })
    notices.noteAnswer(true)
    #expect(log.take() == [#""level":"info","message":"a broker answers again","seconds":100}"#])
    log.pass(seconds: 60)
    #expect(!notices.wantsAnswer)
  }

  @Test func `A connection that is back before it is missed is no outage`() {
    say("transport", "Disconnected")
    _ = log.take()
    log.pass(seconds: 5)
    #expect(notices.wantsAnswer)
    notices.noteAnswer(true)
    #expect(log.take() == [])
    #expect(notices.lastError == nil)
  }

  @Test func `What a failed call answers too is left to the line about the call`() {
    for label in ["FATAL", "fatal", "fenced", "fenced_instance_id", "TXNERR"] {
      say(label, "Static consumer fenced by other consumer")
    }
    #expect(log.take() == [])
  }

  @Test func `A process that was stopped is not told to adjust a property`() {
    say(
      "MAXPOLL",
      "Application maximum poll interval (60000ms) exceeded by 12ms (adjust max.poll.interval.ms "
        + "for long-running message processing): leaving group")
    say("max_poll_exceeded", "Application maximum poll interval (60000ms) exceeded by 12ms")
    #expect(
      log.take() == [
        #""level":"warning","message":"the process stood still for longer than the group waits: "#
          + #"it begins again","notice":"MAXPOLL","#
          + #""detail":"Application maximum poll interval (60000ms) exceeded by 12ms"}"#
      ])
  }
}
