/// What was rejected.
extension Oracle {
  mutating func checkRejection(_ output: OracleRecord) {
    guard let found = OracleRejection.Found(output), found.partition == partition,
      let topic = ModelRecord.Topic.allCases.first(where: { name(of: $0) == found.topic })
    else { return find(.badRejections, "\(output.place) is not of its form") }
    verdict.count(rejection: found.code)
    let source = OracleSource(topic: topic, offset: found.offset)
    clocks.note(source, at: output.timestamp)
    if isEarly(found, source, at: output.timestamp) {
      find(.badRejections, "\(source.description) is rejected before its grace is over")
    }
    guard var expected = rejections[source] else {
      return checkStranger(found, source)
    }
    if expected.hasCome {
      return find(.badRejections, "\(source.description) is rejected again")
    }
    expected.hasCome = true
    rejections[source] = expected
    if isTimeless(source) { expected.record.timestamp = found.record.timestamp }
    if found.record != expected.record || found.omittedBytes != expected.omittedBytes
      || found.omittedKeyBytes != expected.omittedKeyBytes
    {
      return find(.badRejections, "\(source.description) comes back changed")
    }
    if found.code != expected.code, found.code != expected.otherCode {
      judge(
        explanation(ofRejected: source), .badRejections,
        "\(source.description) is rejected with \(found.code), not \(expected.code)")
      return
    }
    // Of several faults any one may be named, and other codes say all without.
    if found.code == "ERR_BAD_RECORD", expected.field != nil, found.field == nil {
      find(.badRejections, "\(source.description) comes back without a field")
    }
  }

  private func name(of topic: ModelRecord.Topic) -> String {
    guard let topic = OracleRecord.Topic(rawValue: topic.rawValue) else { return "" }
    return topicNames[topic] ?? topic.contractName
  }

  /// A rejection that the model does not have.
  private mutating func checkStranger(_ found: OracleRejection.Found, _ source: OracleSource) {
    let record =
      source.topic == .receipts
      ? receipts[source.offset]?.record : deletes[source.offset]?.record
    guard var record else {
      return find(.badRejections, "\(source.description) with \(found.code)")
    }
    if isTimeless(source) { record.timestamp = found.record.timestamp }
    guard record == found.record else {
      return find(.badRejections, "\(source.description) with \(found.code)")
    }
    rejections[source] = OracleRejection(code: found.code, record: record, hasCome: true)
    var reason = explanation(ofRejected: source)
    switch reason {
    case nil, .perhaps?: reason = timelessExplains(givenUp: source, found.code) ?? reason
    case .reordered?, .exception?: break
    }
    judge(
      reason, .badRejections,
      "\(source.description) is rejected with \(found.code), which nothing asks for")
  }
}

extension OracleRejection {
  /// What a record of `chat.rejected` says.
  struct Found {
    var code: String
    var field: String?
    var topic: String
    var partition: Int32
    var offset: Int64
    var record: OracleDelivery
    var omittedBytes: Int?
    var omittedKeyBytes: Int?

    /// Nil where it is not of the form that the contract has.
    init?(_ output: OracleRecord) {
      let headers = Dictionary(output.headers.map { ($0.name, $0.value) }) { first, _ in first }
      let known = [
        "error.code", "error.message", "error.field", "source.topic", "source.partition",
        "source.offset", "source.timestamp", "source.bytes", "source.keyBytes",
      ]
      guard headers.count == output.headers.count, headers.keys.allSatisfy(known.contains),
        let code = headers["error.code"], headers["error.message"]?.isEmpty == false,
        let topic = headers["source.topic"],
        let partition = headers["source.partition"].flatMap({ Int32($0) }),
        let offset = headers["source.offset"].flatMap({ Int64($0) }),
        let timestamp = headers["source.timestamp"].flatMap({ Int64($0) }),
        headers["error.field"]?.isEmpty != true
      else { return nil }
      self.code = code
      self.topic = topic
      self.partition = partition
      self.offset = offset
      field = headers["error.field"]
      omittedBytes = headers["source.bytes"].flatMap { Int($0) }
      omittedKeyBytes = headers["source.keyBytes"].flatMap { Int($0) }
      record = OracleDelivery(
        timestamp: timestamp, key: output.key.map { OracleDigest($0) },
        value: output.value.map { OracleDigest($0) })
    }
  }
}
