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

  private static func write(_ record: WorkloadRecord, to text: inout [UInt8]) {
    text += Array(#"{"topic":"\#(record.topic)","timestamp":"#.utf8)
    text += Array("\(record.time.milliseconds)".utf8)
    text += Array(#","key":"#.utf8)
    write(record.key, to: &text)
    text += Array(#","raw":"#.utf8)
    write(record.value, to: &text)
    text += Array("}\n".utf8)
  }

  /// Writes a string; what is not UTF-8 in it becomes U+FFFD.
  private static func write(_ bytes: [UInt8], to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\""))
    for byte in String(decoding: bytes, as: UTF8.self).utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        let digits = String(byte, radix: 16)
        text += Array((byte < 0x10 ? "\\u000" : "\\u00").utf8) + Array(digits.utf8)
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
  }
}
