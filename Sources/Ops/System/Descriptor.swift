import Glibc

/// An open file, read and written by blocks.
package struct Descriptor: ~Copyable {
  /// A call to the system that failed.
  package struct Failure: Error, Sendable {
    /// The system's number for the cause.
    package var code: Int32

    /// The system's sentence for it.
    package var detail: String {
      unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }

    /// Whether whoever read the other end has gone.
    package var isReaderGone: Bool { code == EPIPE }
  }

  private let number: Int32
  private let isOwned: Bool

  private init(_ number: Int32, isOwned: Bool) {
    self.number = number
    self.isOwned = isOwned
  }

  /// Opens a file to read it.
  package init(reading path: String) throws(Failure) {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { throw Failure(code: errno) }
    self.init(number, isOwned: true)
  }

  deinit {
    if isOwned { close(number) }
  }

  /// Standard input.
  package static var input: Descriptor { Descriptor(STDIN_FILENO, isOwned: false) }
  /// Standard output.
  package static var output: Descriptor { Descriptor(STDOUT_FILENO, isOwned: false) }
  /// Standard error.
  package static var error: Descriptor { Descriptor(STDERR_FILENO, isOwned: false) }

  /// Appends what comes next, at most `limit` bytes, waiting for it.
  ///
  /// - Returns: whether there was anything; false at the end.
  package func read(upTo limit: Int, into bytes: inout [UInt8]) throws(Failure) -> Bool {
    let start = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: limit))
    var count = -1
    repeat {
      count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe Glibc.read(number, buffer.baseAddress.map { unsafe $0 + start }, limit)
      }
    } while count < 0 && errno == EINTR
    let code = errno
    bytes.removeLast(limit - max(count, 0))
    guard count >= 0 else { throw Failure(code: code) }
    return count > 0
  }

  /// Writes all of the bytes.
  package func write(_ bytes: [UInt8]) throws(Failure) {
    var start = 0
    while start < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { buffer in
        unsafe Glibc.write(
          number, buffer.baseAddress.map { unsafe $0 + start }, buffer.count - start)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Failure(code: errno) }
      start += count
    }
  }
}
