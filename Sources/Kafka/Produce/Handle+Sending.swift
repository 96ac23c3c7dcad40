import CKafka

extension Handle {
  /// Hands a record to the library, which copies the bytes.
  ///
  /// - Parameter timestamp: in milliseconds of Unix time; nil: now.
  /// - Returns: why the library did not take the record; nil when it did.
  func send(
    _ topic: TopicHandle, _ partition: Int32, _ key: Span<UInt8>?, _ value: Span<UInt8>?,
    headers: [(name: String, value: [UInt8])] = [], timestamp: Int64? = nil
  ) -> rd_kafka_resp_err_t? {
    unsafe withBytes(of: key) { key, keyCount in
      unsafe withBytes(of: value) { value, valueCount in
        guard headers.isEmpty, timestamp == nil else {
          return unsafe sendInParts(
            topic, partition, key, keyCount, value, valueCount, headers, timestamp)
        }
        // The form with a handle: the one by name waits up to a second for a topic's first record.
        let failed = unsafe rd_kafka_produce(
          topic.pointer, partition, RD_KAFKA_MSG_F_COPY, UnsafeMutableRawPointer(mutating: value),
          valueCount, key, keyCount, nil)
        return failed == 0 ? nil : rd_kafka_last_error()
      }
    }
  }

  private func sendInParts(
    _ topic: TopicHandle, _ partition: Int32, _ key: UnsafeRawPointer?, _ keyCount: Int,
    _ value: UnsafeRawPointer?, _ valueCount: Int, _ headers: [(name: String, value: [UInt8])],
    _ timestamp: Int64?
  ) -> rd_kafka_resp_err_t? {
    let list = unsafe rd_kafka_headers_new(headers.count)
    for header in headers {
      _ = unsafe header.value.withUnsafeBytes { bytes in
        unsafe rd_kafka_header_add(
          list, header.name, -1, bytes.baseAddress ?? anyAddress, bytes.count)
      }
    }
    let error = unsafe withUnsafeTemporaryAllocation(of: rd_kafka_vu_t.self, capacity: 7) { parts in
      unsafe parts.initialize(repeating: rd_kafka_vu_t())
      unsafe parts[0].vtype = RD_KAFKA_VTYPE_RKT
      unsafe parts[0].u.rkt = topic.pointer
      unsafe parts[1].vtype = RD_KAFKA_VTYPE_PARTITION
      unsafe parts[1].u.i32 = partition
      unsafe parts[2].vtype = RD_KAFKA_VTYPE_MSGFLAGS
      unsafe parts[2].u.i = RD_KAFKA_MSG_F_COPY
      unsafe parts[3].vtype = RD_KAFKA_VTYPE_KEY
      unsafe parts[3].u.mem = .init(ptr: UnsafeMutableRawPointer(mutating: key), size: keyCount)
      unsafe parts[4].vtype = RD_KAFKA_VTYPE_VALUE
      unsafe parts[4].u.mem = .init(ptr: UnsafeMutableRawPointer(mutating: value), size: valueCount)
      unsafe parts[5].vtype = RD_KAFKA_VTYPE_TIMESTAMP
      // The library takes 0 as now.
      unsafe parts[5].u.i64 = timestamp ?? 0
      unsafe parts[6].vtype = RD_KAFKA_VTYPE_HEADERS
      unsafe parts[6].u.headers = list
      return unsafe rd_kafka_produceva(pointer, parts.baseAddress, parts.count)
    }
    guard let error = unsafe error else { return nil }
    // The headers stay ours when the record was not taken.
    unsafe rd_kafka_headers_destroy(list)
    let code = unsafe rd_kafka_error_code(error)
    unsafe rd_kafka_error_destroy(error)
    return code
  }

  /// Lends bytes as C wants them: no address is no key or no value, an empty one has an address.
  private func withBytes<R>(
    of span: Span<UInt8>?, _ body: (UnsafeRawPointer?, Int) -> R
  ) -> R {
    guard let span else { return body(nil, 0) }
    return unsafe span.withUnsafeBytes { bytes in
      unsafe body(bytes.baseAddress ?? anyAddress, bytes.count)
    }
  }

  /// Stands for nothing, where nothing must have an address.
  private var anyAddress: UnsafeRawPointer { unsafe UnsafeRawPointer(pointer) }
}
