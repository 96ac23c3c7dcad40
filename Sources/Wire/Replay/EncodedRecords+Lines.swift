import Core

/// What `replay` writes: a line for each record, in the form of the contract.
extension EncodedRecords {
  /// Appends the records as JSON Lines.
  ///
  /// - Parameter input: the number of the line that caused them.
  package func appendLines(input: Int64, to lines: inout [UInt8]) {
    for record in records where record.topic != .state {
      lines.append(#"{"topic":""#)
      lines.append(contentsOf: "\(record.topic)".utf8)
      lines.append(#"","key":"#)
      lines.append(json: record.key.map { bytes[$0] })
      if record.topic == .rejected {
        appendHeaders(of: record, to: &lines)
        if let value = record.value {
          lines.append(#","raw":"#)
          lines.append(json: bytes[value])
        }
      } else if let value = record.value {
        lines.append(#","value":"#)
        appendOnOneLine(bytes[value], to: &lines)
      }
      lines.append(#","input":"#)
      lines.append(decimal: input)
      lines.append("}\n")
    }
  }

  private func appendHeaders(of record: Record, to lines: inout [UInt8]) {
    lines.append(#","headers":{"#)
    for index in record.headers {
      if index > record.headers.lowerBound { lines.append(",") }
      lines.append(json: ArraySlice(headers[index].name.description.utf8))
      lines.append(":")
      lines.append(json: headers[index].value[...])
    }
    lines.append("}")
  }

  /// A text that was passed on as it came may be spread over lines, but only between its tokens.
  private func appendOnOneLine(_ value: ArraySlice<UInt8>, to lines: inout [UInt8]) {
    let start = lines.count
    lines.append(contentsOf: value)
    for index in start..<lines.count
    where lines[index] == UInt8(ascii: "\n") || lines[index] == UInt8(ascii: "\r") {
      lines[index] = UInt8(ascii: " ")
    }
  }
}

extension [UInt8] {
  /// Appends a string of any bytes, U+FFFD in place of what is not UTF-8, or null.
  fileprivate mutating func append(json text: ArraySlice<UInt8>?) {
    guard let text else { return append("null") }
    append(quoted: Array(String(decoding: text, as: UTF8.self).utf8).span)
  }
}
