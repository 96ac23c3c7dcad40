import Foundation

/// A run of the program to its end.
struct Command {
  var code: Int32
  var output: String
  var errors: String

  /// Runs it; what it writes goes through files in a folder.
  static func run(
    _ arguments: [String], of program: URL = ChildProcess.program,
    environment: [String: String] = [:], in folder: URL,
    within limit: Duration = .seconds(120)
  ) throws -> Command {
    let name = UUID().uuidString
    let output = folder.appending(path: "\(name).out")
    let errors = folder.appending(path: "\(name).err")
    let process = try ChildProcess(
      arguments, of: program, environment: environment, output: output, errors: errors)
    let code = try process.end(within: limit)
    return Command(
      code: code, output: String(decoding: try Data(contentsOf: output), as: UTF8.self),
      errors: String(decoding: try Data(contentsOf: errors), as: UTF8.self))
  }
}
