/// One line that `rollcall replay` must write: its topic, key and content, without the input's
/// number.
struct ModelOutput: Equatable, CustomStringConvertible {
  var topic: String
  var key: Bytes?
  /// The value of an event, action or status.
  var value: JSON?
  /// The headers of a rejection, without `error.message`.
  var headers: [String: String]?
  /// The value of a rejected record.
  var raw: Bytes?
  /// Of the model: what must stand in the line byte by byte.
  var verbatim: [Bytes] = []
  /// Of the engine: the line.
  var line: Bytes = ""

  var description: String {
    let content = value?.description ?? "\(headers ?? [:]) raw \(raw?.description ?? "none")"
    return "\(topic) \(key?.description ?? "null"): \(content)"
  }
}

/// What one input causes, gathered by kind and handed out in the order of the contract.
struct ModelOutputs {
  var deletions: [ModelOutput] = []
  var receipts: [ModelOutput] = []
  var deliveredToAll: [ModelOutput] = []
  var readByAll: [ModelOutput] = []
  var responses: [ModelOutput] = []
  var unread: [ModelOutput] = []
  var threads: [ModelOutput] = []
  /// The messages whose status is to be written, with the status of those that are known no more.
  var statuses: [Bytes: [Int64: ModelOutput?]] = [:]
  var rejections: [ModelOutput] = []

  /// All of it in order; `status` gives the newest status of a message.
  func inOrder(status: (Bytes, Int64) -> ModelOutput?) -> [ModelOutput] {
    var all = deletions + receipts + deliveredToAll + readByAll + responses + unread + threads
    for conversation in statuses.keys.sorted() {
      for (id, last) in (statuses[conversation] ?? [:]).sorted(by: { $0.key < $1.key }) {
        if let status = last ?? status(conversation, id) { all.append(status) }
      }
    }
    return all + rejections
  }

  mutating func touch(_ conversation: Bytes, _ id: Int64) {
    statuses[conversation, default: [:]].updateValue(nil, forKey: id)
  }

  /// A message is forgotten, and this is its last status.
  mutating func touchLast(_ conversation: Bytes, _ id: Int64, _ status: ModelOutput?) {
    statuses[conversation, default: [:]].updateValue(status, forKey: id)
  }

  mutating func reject(
    _ record: ModelRecord, at timestamp: Int64, _ fault: ModelFault, _ limit: Int
  ) {
    var headers = [
      "error.code": fault.code,
      "source.topic": "chat." + record.topic.rawValue,
      "source.partition": String(record.partition),
      "source.offset": String(record.offset),
      "source.timestamp": String(timestamp),
    ]
    headers["error.field"] = fault.field
    var raw = record.value
    if let count = raw?.count, count > limit {
      headers["source.bytes"] = String(count)
      raw = nil
    }
    rejections.append(
      ModelOutput(topic: "rejected", key: record.key, headers: headers, raw: raw))
  }
}
