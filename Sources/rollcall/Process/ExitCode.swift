/// How the process ends, after the BSD convention (`sysexits.h`).
enum ExitCode {
  /// All was done.
  static let done: Int32 = 0
  /// A comparison found differences, or the worker could not go on.
  static let failed: Int32 = 1
  /// A line of `replay` is not of its form.
  static let malformedLine: Int32 = 2
  /// An unknown option or a bad value.
  static let usage: Int32 = 64
  /// A file, or a part of a topic, that cannot be read.
  static let noInput: Int32 = 66
  /// The broker cannot be reached, or refuses what it is asked.
  static let unavailable: Int32 = 69
  /// Standard output cannot be written.
  static let outputFailed: Int32 = 74
  /// It cannot be told now, or has not come in time; later it may be.
  static let undecided: Int32 = 75
  /// The broker's or the worker's configuration has to be mended.
  static let configuration: Int32 = 78
  /// Whoever read standard output has gone: what a shell shows of any program in that case.
  static let readerGone: Int32 = 141
}
