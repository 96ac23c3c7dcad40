/// The program as a whole.
enum Program {
  /// The version that `--version` prints.
  static let version = "0.1.0"
}
