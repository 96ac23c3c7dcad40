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
  /// The messages whose status is to be written.
  var statuses: [Bytes: Set<Int64>] = [:]
  var rejections: [ModelOutput] = []

  /// All of it in order; `status` gives the newest status of a message.
  func inOrder(status: (Bytes, Int64) -> ModelOutput?) -> [ModelOutput] {
    var all = deletions + receipts + deliveredToAll + readByAll + responses + unread + threads
    for conversation in statuses.keys.sorted() {
      for id in (statuses[conversation] ?? []).sorted() {
        if let status = status(conversation, id) { all.append(status) }
      }
    }
    return all + rejections
  }

  mutating func touch(_ conversation: Bytes, _ id: Int64) {
    statuses[conversation, default: []].insert(id)
  }

  mutating func reject(
    _ record: ModelRecord, at timestamp: Int64, _ fault: ModelFault, _ limit: Int
  ) {
    var headers = [
      "error.code": fault.code,
      "source.topic": "chat." + record.topic.rawValue,
      "source.partition": "0",
      "source.offset": String(record.offset),
      "source.timestamp": String(timestamp),
    ]
    headers["error.field"] = fault.field
    var raw: Bytes? = record.value
    if record.value.count > limit {
      headers["source.bytes"] = String(record.value.count)
      raw = nil
    }
    rejections.append(
      ModelOutput(topic: "rejected", key: record.key, headers: headers, raw: raw))
  }
}
