import Foundation
import Synchronization

/// A process of the program under test, or of another one that needs it.
///
/// Its environment has no variable of Rollcall's, and it ends with the test process at the latest.
final class ChildProcess {
  /// The `rollcall` beside the test bundle, built with the tests; `ROLLCALL_PROGRAM` names another,
  /// such as a release build.
  static let program =
    Wish.text("ROLLCALL_PROGRAM").map { URL(filePath: $0) }
    ?? URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appending(path: "rollcall")

  private let process = Process()

  /// Starts the program; output and errors go to the ends of these files.
  init(
    _ arguments: [String], of program: URL = program, environment: [String: String] = [:],
    output: URL, errors: URL
  ) throws {
    process.executableURL = program
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.filter {
      !$0.key.hasPrefix("ROLLCALL_")
    }.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try Self.appending(to: output)
    process.standardError = try Self.appending(to: errors)
    try process.run()
    Reaper.shared.add(process.processIdentifier)
  }

  deinit {
    send(SIGKILL)
    process.waitUntilExit()
    Reaper.shared.remove(process.processIdentifier)
  }

  /// Whether it has not ended yet.
  var isRunning: Bool { process.isRunning }

  /// How it has ended: its exit code, or 128 and the number of the signal that ended it.
  var code: Int32 {
    process.terminationStatus + (process.terminationReason == .uncaughtSignal ? 128 : 0)
  }

  /// Sends it a signal, if it still runs.
  func send(_ signal: Int32) {
    if process.isRunning { kill(process.processIdentifier, signal) }
  }

  /// Waits for its end.
  ///
  /// - Returns: how it ended.
  func end(within limit: Duration) throws -> Int32 {
    try eventually("the end of \(process.arguments ?? [])", within: limit, every: .milliseconds(5))
    {
      !process.isRunning
    }
    return code
  }

  private static func appending(to file: URL) throws -> FileHandle {
    if !FileManager.default.fileExists(atPath: file.path) { try Data().write(to: file) }
    let handle = try FileHandle(forWritingTo: file)
    _ = try handle.seekToEnd()
    return handle
  }
}

/// Ends the processes of a test process that was itself ended without notice.
///
/// A shell reads the ids of those that live, and kills them once nobody can write to it any more.
private final class Reaper: Sendable {
  static let shared = Reaper()

  private let input: Mutex<FileHandle?>

  private init() {
    let shell = Process()
    let pipe = Pipe()
    shell.executableURL = URL(filePath: "/bin/sh")
    shell.arguments = [
      "-c",
      """
      trap '' INT TERM HUP
      alive=' '
      while read -r sign pid; do
        case $sign in
          +) alive="$alive$pid " ;;
          *) alive="${alive%% $pid *} ${alive#* $pid }" ;;
        esac
      done
      for pid in $alive; do kill -9 "$pid"; done
      """,
    ]
    shell.standardInput = pipe
    let end = pipe.fileHandleForWriting
    // No child may hold the pipe open.
    _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
    do {
      try shell.run()
      input = Mutex(end)
    } catch {
      input = Mutex(nil)
    }
  }

  func add(_ pid: Int32) { write("+ \(pid)\n") }
  func remove(_ pid: Int32) { write("- \(pid)\n") }

  private func write(_ line: String) {
    input.withLock { $0?.write(Data(line.utf8)) }
  }
}
