import Glibc

/// What the process finds around it.
package enum SystemEnvironment {
  /// The value of a variable of the environment; nil where it is not set.
  package static func variable(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }

  /// The names of all variables of the environment.
  package static var variableNames: [String] {
    var names: [String] = []
    var next = unsafe environ
    while let entry = unsafe next.pointee {
      let text = unsafe String(cString: entry)
      names.append(String(text.prefix { $0 != "=" }))
      unsafe next += 1
    }
    return names
  }

  /// The host's name; nil where it has none.
  package static var hostName: String? {
    var bytes = [CChar](repeating: 0, count: 256)
    guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
    let text = bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
    let name = String(decoding: text, as: UTF8.self)
    return name.isEmpty ? nil : name
  }
}
