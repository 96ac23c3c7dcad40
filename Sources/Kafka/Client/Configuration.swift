import CKafka

/// Owns a librdkafka configuration until a client takes it.
@safe struct Configuration: ~Copyable {
  private let pointer: OpaquePointer

  /// The library's defaults, then these properties in their order.
  init(_ properties: [Property]) throws(KafkaError) {
    // A noncopyable value cannot throw half-way: what is refused is known before it exists.
    guard let pointer = unsafe rd_kafka_conf_new() else {
      preconditionFailure("librdkafka ends the process itself when memory is out")
    }
    for property in properties {
      let (result, text) = unsafe withErrorText { buffer, size in
        unsafe rd_kafka_conf_set(pointer, property.name, property.value, buffer, size)
      }
      guard result == RD_KAFKA_CONF_OK else {
        unsafe rd_kafka_conf_destroy(pointer)
        throw .configuration("Kafka property \(property.name): \(text)")
      }
    }
    unsafe self.pointer = pointer
  }

  deinit { unsafe rd_kafka_conf_destroy(pointer) }

  /// The value of a property, the library's default where none was set.
  func value(_ name: String) -> String? {
    var size = 0
    guard unsafe rd_kafka_conf_get(pointer, name, nil, &size) == RD_KAFKA_CONF_OK else {
      return nil
    }
    let text = unsafe String(unsafeUninitializedCapacity: size) { buffer in
      unsafe buffer.withMemoryRebound(to: CChar.self) { buffer in
        _ = unsafe rd_kafka_conf_get(pointer, name, buffer.baseAddress, &size)
      }
      // The size counts the zero at the end.
      return max(0, size - 1)
    }
    return text
  }

  /// The value of a property that is a whole number.
  func number(_ name: String) throws(KafkaError) -> Int {
    guard let number = value(name).flatMap({ Int($0) }) else {
      throw .configuration("Kafka property \(name) has no value that is a number")
    }
    return number
  }

  /// Has the client's callbacks write to `callbacks`, which must outlive the client.
  borrowing func install(_ callbacks: Callbacks) {
    unsafe callbacks.install(in: pointer)
  }

  /// Hands the configuration over to `rd_kafka_new`.
  consuming func release() -> OpaquePointer {
    let released = unsafe pointer
    discard self
    return unsafe released
  }
}

/// One librdkafka property.
package struct Property: Equatable, Sendable {
  /// Its name, such as `security.protocol`.
  package var name: String
  /// Its value.
  package var value: String

  /// Gives a property a value.
  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// Lends a buffer for an error text and reads it back.
func withErrorText<R>(_ body: (UnsafeMutablePointer<CChar>, Int) -> R) -> (R, String) {
  unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
    unsafe buffer.initialize(repeating: 0)
    guard let start = buffer.baseAddress else { preconditionFailure("512 bytes have an address") }
    let result = unsafe body(start, buffer.count)
    return unsafe (result, String(cString: start))
  }
}
