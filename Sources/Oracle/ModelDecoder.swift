/// Reads a line of `rollcall replay` and the record in it, field by field, as the contract's
/// sections 2 and 10 have it.
struct ModelDecoder {
  var maxRecordBytes = 768 * 1024
  var enhancedMessagingStatus = true

  /// Decodes a line that is of the form of `replay`; throws where it is not.
  func line(_ text: Bytes, number: Int64) throws -> ModelLine {
    let line = try JSONParser.parse(text)
    guard case .object(let members) = line else { throw JSONParser.Fault() }
    if case .int(let time)? = line["tick"] { return .tick(time) }
    guard case .string(let name)? = line["topic"],
      let topic = ModelRecord.Topic(rawValue: name.description)
    else { throw JSONParser.Fault() }

    let value: Bytes
    if case .string(let raw)? = line["raw"] {
      value = raw
    } else if let member = members.first(where: { $0.name == "value" }) {
      value = Bytes(text.bytes[member.range])
    } else {
      throw JSONParser.Fault()
    }
    var fields = ModelFields(topic: topic, value: value)
    let content = content(topic, value, &fields)
    var record = ModelRecord(
      topic: topic, offset: number, timestamp: fields.time, key: fields.conversation?.id,
      value: value, content: content)
    if case .int(let timestamp)? = line["timestamp"] { record.timestamp = timestamp }
    if let key = line["key"] {
      guard case .string(let key) = key else { throw JSONParser.Fault() }
      record.key = key
      checkKey(of: &record, fields)
    }
    return .record(record)
  }

  /// Decodes a record of a topic.
  func record(_ input: ModelInput) -> ModelRecord {
    var fields = ModelFields(topic: input.topic, value: Bytes(input.value ?? []))
    let content = content(input.topic, fields.value, &fields)
    var record = ModelRecord(input, content: content)
    checkKey(of: &record, fields)
    return record
  }

  /// The key of a record that is good otherwise must be its conversation's id.
  private func checkKey(of record: inout ModelRecord, _ fields: ModelFields) {
    guard fields.isGood, record.key != fields.conversation?.id else { return }
    record.content = .fault(ModelFault("ERR_WRONG_KEY"))
  }

  private func content(
    _ topic: ModelRecord.Topic, _ value: Bytes, _ fields: inout ModelFields
  ) -> ModelRecord.Content {
    do {
      guard value.count <= maxRecordBytes else { throw ModelFault("ERR_RECORD_TOO_LARGE") }
      guard !value.isEmpty else { throw ModelFault("ERR_BAD_RECORD") }
      do {
        fields.root = try JSONParser.parse(value)
      } catch {
        throw ModelFault("ERR_BAD_JSON")
      }
      guard case .object = fields.root else { throw ModelFault("ERR_BAD_RECORD") }
      fields.readLoosely()
      let content: ModelRecord.Content
      switch topic {
      case .messages: content = try fields.messageTopicRecord()
      case .receipts: content = .receipt(try fields.receipt(enhancedMessagingStatus))
      case .deletes: content = .delete(try fields.delete())
      }
      if let carried = try fields.optionalText("conversationId"),
        carried != fields.conversation?.id
      {
        throw ModelFault("ERR_WRONG_KEY", "conversationId")
      }
      fields.isGood = true
      return content
    } catch let fault as ModelFault {
      return .fault(fault)
    } catch {
      return .fault(ModelFault("ERR_BAD_JSON"))
    }
  }
}
