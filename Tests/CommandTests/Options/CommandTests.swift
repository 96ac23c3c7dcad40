import Kafka
import Testing
import Worker

@testable import rollcall

@Suite("The frame of the commands") struct CommandFrameTests {
  private static let names = Rollcall.commands.map { $0.name }

  @Test(arguments: names)
  func `each command has a name of its own, and help that begins with it`(_ name: String) throws {
    #expect(Self.names.count { $0 == name } == 1)
    let command = try #require(Rollcall.commands.first { $0.name == name })
    #expect(command.help.hasPrefix("usage: rollcall \(name) \(command.form)\n\n"))
    #expect(command.help.contains("\n  --help\n        Shows this."))
    #expect(command.run(["--no-such-option"]) == ExitCode.usage)
  }

  @Test(arguments: ["worker", "load", "verify", "sim"])
  func `commands that take options only refuse a word by their name`(_ name: String) throws {
    let command = try #require(Rollcall.commands.first { $0.name == name })
    #expect(command.form == "[OPTION…]")
    #expect(command.run(["now"]) == ExitCode.usage)
    #expect {
      _ = try SimCommand.parse(["now"]) { _ in nil }
    } throws: { error in
      (error as? UsageError)?.message == "sim takes options only, not 'now'"
    }
  }

  @Test func `who asks for help is not told what else is wrong with the words`() throws {
    #expect(try LoadCommand.parse(["now", "--drain", "5s", "-h"]) { _ in nil }.parsed.wantsHelp)
    #expect(try TopicsCommand.parse(["--help"]) { _ in nil }.parsed.wantsHelp)
  }
}

@Suite("Words that are near to known ones") struct NearnessTests {
  @Test(arguments: [
    ("--grace", "--grace"), ("--gracee", "--grace"), ("--rgace", "--grace"),
    ("-grace", "--grace"), ("--gr", nil), ("--gra", "--grace"), ("--rgaec", "--grace"),
    ("--xxxce", nil), ("--group", "--group"), ("--gronp", "--group"), ("--gxxup", "--group"),
    ("--grXXe", "--grace"), ("--trade", "--trace"), ("--grade", "--grace"),
    ("--crace", "--grace"), ("", nil), (String(repeating: "g", count: 100_000), nil),
  ])
  func `up to two slips are forgiven, a swap is one, and of equally near words the first is meant`(
    word: String, meant: String?
  ) {
    let known = ["--grace", "--trace", "--group"]
    #expect(Nearness.nearest(to: word, among: known) == meant)
  }

  @Test func `an unknown command is told what is allowed, and what was meant if that is near`() {
    let list = "allowed: worker, replay, topics, load, verify, sim, help"
    #expect(
      Rollcall.refusal(of: "wroker").message
        == "unknown command wroker; \(list); did you mean worker?")
    #expect(Rollcall.refusal(of: "produce").message == "unknown command produce; \(list)")
    #expect(Rollcall.refusal(of: "-version").message.hasSuffix("; did you mean --version?"))
    // Not meant to be typed, so never meant.
    #expect(!Rollcall.refusal(of: "dem").message.contains("demo"))
  }

  @Test(arguments: [
    (["check", "--gruop", "a"], "--help; did you mean --group?"),
    (["check", "--gruop=a"], "--help; did you mean --group?"),
    (["check", "--hepl"], "--help; did you mean --help?"), (["check", "--x"], ", --help"),
    (["chekc"], "topics chekc: one verb, please; allowed: apply, check, list, "),
    (["chekc"], "accept-loss; did you mean check?"), (["mend"], ", reset-state, accept-loss"),
    (["check", "aply"], ", accept-loss"),
  ])
  func `so are an unknown option and an unknown verb`(arguments: [String], words: String) {
    #expect {
      _ = try TopicsCommand.parse(arguments) { _ in nil }
    } throws: { error in
      let message = (error as? UsageError)?.message ?? ""
      return message.hasSuffix(words) || (words.hasSuffix(" ") && message.hasPrefix(words))
    }
  }
}
