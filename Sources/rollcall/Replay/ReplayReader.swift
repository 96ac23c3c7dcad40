import Core
import Ops
import Wire
import Worker

/// Reads JSON Lines, and writes what they cause to standard output.
struct ReplayReader: ~Copyable {
  /// What comes at once from a file, and about what goes at once to standard output.
  private static let blockBytes = 256 * 1024

  private var replay: Replay
  /// Read, and not yet taken apart.
  private var pending: [UInt8] = []
  /// How much of it holds no line feed.
  private var scanned = 0
  /// Written, and not yet given to standard output.
  private var written: [UInt8] = []

  init(rules: Rules) { replay = Replay(rules: rules) }

  /// Why the reading stopped.
  struct Stop: Error {
    var code: Int32
    var message: String
  }

  /// Reads the files in their order, or standard input where there is none.
  mutating func read(files: [String]) throws(Stop) {
    do throws(Stop) {
      for file in files.isEmpty ? ["-"] : files { try read(file: file) }
      try flush()
    } catch {
      // What came of the lines before the fault is shown all the same.
      try flush()
      throw error
    }
  }

  private mutating func read(file: String) throws(Stop) {
    let descriptor = try open(file)
    while try fill(from: descriptor, file) {
      try applyLines()
      // Whoever feeds line by line gets the answer line by line.
      try flush()
    }
    // The last line of a file may lack its line feed.
    guard !pending.isEmpty else { return }
    pending.append(UInt8(ascii: "\n"))
    try applyLines()
  }

  private func open(_ file: String) throws(Stop) -> Descriptor {
    do throws(Descriptor.Failure) {
      return file == "-" ? Descriptor.input : try Descriptor(reading: file)
    } catch { throw Stop(code: ExitCode.noInput, message: "\(file): \(error.detail)") }
  }

  private mutating func fill(
    from descriptor: borrowing Descriptor, _ file: String
  ) throws(Stop) -> Bool {
    do throws(Descriptor.Failure) {
      return try descriptor.read(upTo: ReplayReader.blockBytes, into: &pending)
    } catch { throw Stop(code: ExitCode.noInput, message: "\(file): \(error.detail)") }
  }

  /// Applies all whole lines that were read.
  private mutating func applyLines() throws(Stop) {
    // Held apart, so that a line can be read while the rest is written.
    let block = pending
    var start = 0
    while let end = block[max(start, scanned)...].firstIndex(of: UInt8(ascii: "\n")) {
      let line = replay.lines
      do throws(Malformed) {
        try replay.apply(block.span.extracting(start..<end), to: &written)
      } catch {
        throw Stop(code: ExitCode.malformedLine, message: "line \(line): \(error.reason)")
      }
      start = end + 1
      if written.count >= ReplayReader.blockBytes { try flush() }
    }
    pending = Array(block[start...])
    scanned = pending.count
  }

  private mutating func flush() throws(Stop) {
    do throws(Descriptor.Failure) {
      try Descriptor.output.write(written)
    } catch {
      throw Stop(code: Console.outputCode(error), message: "standard output: \(error.detail)")
    }
    written.removeAll(keepingCapacity: true)
  }
}
