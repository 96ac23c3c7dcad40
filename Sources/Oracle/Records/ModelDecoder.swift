/// Reads a record, field by field, as the contract's section 2 has it.
struct ModelDecoder: Sendable {
  var maxRecordBytes = 768 * 1024
  var enhancedMessagingStatus = true

  /// Decodes a record of a topic.
  func record(_ input: ModelInput) -> ModelRecord {
    do throws(ModelFault) {
      if input.hasOverlongKey { throw ModelFault("ERR_WRONG_KEY") }
      let root = try root(of: input.value ?? [])
      var fields = ModelFields(topic: input.topic, root: root, timestamp: input.timestamp)
      let content = try checkedContent(&fields)
      guard let name = fields.conversation, input.key == name.id.bytes else {
        throw ModelFault("ERR_WRONG_KEY")
      }
      return ModelRecord(input: input, content: content)
    } catch {
      return ModelRecord(input: input, content: .fault(error))
    }
  }

  /// The object that a value is.
  func root(of value: [UInt8]) throws(ModelFault) -> JSONNode {
    guard value.count <= maxRecordBytes else { throw ModelFault("ERR_RECORD_TOO_LARGE") }
    guard !value.isEmpty else { throw ModelFault("ERR_BAD_RECORD") }
    let root: JSONNode
    do throws(JSONText.Fault) {
      root = try JSONText(value).root
    } catch {
      throw ModelFault("ERR_BAD_JSON")
    }
    guard root.isObject else { throw ModelFault("ERR_BAD_RECORD") }
    return root
  }

  /// What the fields say; of faults of two kinds both are named.
  private func checkedContent(
    _ fields: inout ModelFields
  ) throws(ModelFault) -> ModelRecord.Content {
    do throws(ModelFault) {
      return try content(&fields)
    } catch {
      var fault = error
      fault.otherCode = otherCode(than: fault.code, fields)
      throw fault
    }
  }

  private func otherCode(than code: String, _ fields: ModelFields) -> String? {
    if code == "ERR_BAD_RECORD" { return fields.hasInvalidId ? "ERR_INVALID_MESSAGE_ID" : nil }
    guard code == "ERR_INVALID_MESSAGE_ID" else { return nil }
    var fields = fields
    fields.toleratesIds = true
    do throws(ModelFault) {
      _ = try content(&fields)
      return nil
    } catch {
      return error.code == "ERR_BAD_RECORD" ? error.code : nil
    }
  }

  /// What the fields say.
  func content(_ fields: inout ModelFields) throws(ModelFault) -> ModelRecord.Content {
    let content =
      switch fields.topic {
      case .messages: try fields.messageTopicRecord()
      case .receipts: ModelRecord.Content.receipt(try fields.receipt(enhancedMessagingStatus))
      case .deletes: ModelRecord.Content.delete(try fields.delete())
      }
    if let carried = try fields.optionalText("conversationId"),
      carried != fields.conversation?.id
    {
      throw ModelFault("ERR_WRONG_KEY", "conversationId")
    }
    return content
  }
}
