import Core

/// What people write, edit and delete.
extension WorkloadConversation {
  private static let filler = Array("the quick brown fox jumps over the lazy dog and ".utf8)

  /// Writes a message of somebody who is in.
  mutating func talk(_ pen: inout WorkloadPen) {
    let sender = members[pen.below(members.count)].number
    let id = newId(&pen)
    var message = WorkloadRecent.Message(id: id, sender: sender, sentAt: told(pen.now))
    var parent: Int64?
    if recent.count > 0, pen.chance(pen.options.replies) {
      let candidate = recent[pen.below(recent.count)]
      if !candidate.isReply { parent = candidate.id }
    }
    message.isReply = parent != nil
    pen.begin(.messages, key: names.key, partition: partition)
    write(message, parent: parent, isRequested: !pen.chance(pen.options.unrequested), &pen)
    recent.append(message)
  }

  /// Writes a message's value.
  func write(
    _ message: WorkloadRecent.Message, parent: Int64? = nil, isRequested: Bool = true,
    editedAt: Int64? = nil, _ pen: inout WorkloadPen
  ) {
    writeHead(of: message, &pen)
    pen.write(#","category":"message","type":"text","sentAt":"#)
    pen.write(time: message.sentAt)
    if let parent {
      pen.write(#","parentMessageId":"#)
      pen.write(parent)
    }
    if !isRequested { pen.write(#","needReceipt":false"#) }
    if let editedAt {
      pen.write(#","editedAt":"#)
      pen.write(time: editedAt)
    }
    pen.write(#","text":""#)
    writeText(pen.below(pen.options.textBytes + 1), &pen)
    pen.write(#""}"#)
  }

  private func writeHead(of message: WorkloadRecent.Message, _ pen: inout WorkloadPen) {
    pen.write(#"{"id":"#)
    pen.write(message.id)
    pen.write(#","messageUId":"#)
    names.writeMessageUId(message.id, &pen)
    pen.write(#","sender":{"uid":"#)
    names.writeUid(message.sender, &pen)
    pen.write("},")
    names.writeReceiver(of: message.sender, &pen)
  }

  /// Writes so many bytes that need no escaping.
  func writeText(_ count: Int, _ pen: inout WorkloadPen) {
    var left = count
    while left > 0 {
      let part = min(left, Self.filler.count)
      pen.bytes.append(contentsOf: Self.filler[..<part])
      left -= part
    }
  }

  /// Edits a message; false where there is none.
  func edit(_ pen: inout WorkloadPen) -> Bool {
    guard recent.count > 0 else { return false }
    let message = recent[pen.below(recent.count)]
    pen.begin(.messages, key: names.key, partition: partition)
    write(message, editedAt: told(pen.now), &pen)
    return true
  }

  /// Deletes a message as its sender or one who manages the group; false where there is none.
  mutating func delete(_ pen: inout WorkloadPen) -> Bool {
    guard recent.count > 0 else { return false }
    let index = pen.below(recent.count)
    let message = recent[index]
    guard !message.isDeleted else { return false }
    recent[index].isDeleted = true
    let isManaged = kind == .group && pen.below(2) == 0
    let actor = isManaged ? members[pen.below(2)].number : message.sender
    let original = pen.below(2) == 0 ? message : nil
    writeDelete(of: message.id, by: actor, original: original, &pen)
    return true
  }

  /// Writes a delete.
  ///
  /// - Parameter original: what the backend puts in, if it does.
  func writeDelete(
    of id: Int64, by actor: Int64, original: WorkloadRecent.Message? = nil,
    _ pen: inout WorkloadPen
  ) {
    pen.begin(.deletes, key: names.key, partition: partition)
    pen.write(#"{"messageId":"#)
    pen.write(id)
    pen.write(",")
    names.writeReceiver(of: actor, &pen)
    pen.write(#","deletedBy":{"uid":"#)
    names.writeUid(actor, &pen)
    pen.write(#"},"deletedAt":"#)
    pen.write(time: told(pen.now))
    if let original {
      pen.write(#","message":"#)
      write(original, &pen)
    }
    pen.write("}")
  }
}
