import Ops

/// What commands say to the person who started them.
enum Console {
  /// Writes a text to standard output.
  ///
  /// - Returns: the code to exit with.
  static func show(_ text: String) -> Int32 {
    do throws(Descriptor.Failure) {
      try Descriptor.output.write(Array((text + "\n").utf8))
      return ExitCode.done
    } catch {
      return outputCode(error)
    }
  }

  /// The code to exit with where standard output could not be written.
  static func outputCode(_ failure: Descriptor.Failure) -> Int32 {
    failure.isReaderGone ? ExitCode.readerGone : ExitCode.outputFailed
  }

  /// A text with blanks behind it up to a width, and at least one.
  static func column(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  /// Writes a line of progress to standard error, where it does not mix with results.
  static func tell(_ text: String) {
    do throws(Descriptor.Failure) {
      try Descriptor.error.write(Array((text + "\n").utf8))
    } catch {
      // Nobody watches; the work goes on.
      return
    }
  }

  /// Writes what is wrong to standard error.
  ///
  /// - Returns: the code, to exit with.
  static func complain(_ text: String, _ code: Int32) -> Int32 {
    tell("rollcall: \(text)")
    return code
  }
}
