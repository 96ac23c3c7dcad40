import Core
import Lab
import Ops

/// `rollcall load --dry-run`: the records as lines that `rollcall replay` reads.
enum LoadPrint {
  private static let blockBytes = 256 * 1024

  /// Writes the lines and says how the process ends.
  static func run(_ settings: LoadSettings) -> Int32 {
    var workload = Workload(seed: UInt64(settings.seed), options: settings.mix, partitionCount: 1)
    var text: [UInt8] = []
    var count = 0
    do throws(Descriptor.Failure) {
      while let record = workload.next() {
        write(record, to: &text)
        count += 1
        if count == settings.records { workload.end() }
        guard text.count >= blockBytes else { continue }
        try Descriptor.output.write(text)
        text.removeAll(keepingCapacity: true)
      }
      try Descriptor.output.write(text)
      return ExitCode.done
    } catch {
      return Console.outputCode(error)
    }
  }

  /// What is not UTF-8 in a key or a value becomes U+FFFD.
  static func write(_ record: WorkloadRecord, to text: inout [UInt8]) {
    let line = JSONValue.object([
      ("topic", .text("\(record.topic)")), ("timestamp", .number(record.time.milliseconds)),
      ("key", .text(String(decoding: record.key, as: UTF8.self))),
      ("raw", .text(String(decoding: record.value, as: UTF8.self))),
    ])
    line.append(to: &text, isShort: false)
    text.append(UInt8(ascii: "\n"))
  }
}
