import Testing

@testable import rollcall

@Suite("Exit codes") struct ExitCodeTests {
  @Test func `No broker is another thing than a difference`() {
    let code = TopicsCommand.run(["check", "--bootstrap-servers", "127.0.0.1:1"])
    #expect(code == ExitCode.unavailable)
  }

  @Test(arguments: [
    ["check", "apply"], [], ["mend"], ["reset-state"], ["check", "--partitions", "many"],
  ])
  func `A call that says nothing sensible is refused before a broker is asked`(arguments: [String])
  {
    #expect(TopicsCommand.run(arguments) == ExitCode.usage)
  }
}
