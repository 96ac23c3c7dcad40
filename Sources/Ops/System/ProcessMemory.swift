import Glibc

/// How much memory the process has.
package enum ProcessMemory {
  /// What of it lies in the machine's memory, in bytes; nil where the system does not say.
  package static var residentBytes: Int64? {
    var bytes: [UInt8] = []
    do throws(Descriptor.Failure) {
      let file = try Descriptor(reading: "/proc/self/statm")
      while try file.read(upTo: 256, into: &bytes) {}
    } catch {
      return nil
    }
    // Total, resident, and others, in pages.
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: " ")
    guard fields.count > 1, let pages = Int64(fields[1]) else { return nil }
    return pages * Int64(sysconf(Int32(_SC_PAGESIZE)))
  }
}
