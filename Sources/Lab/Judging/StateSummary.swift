package import Core

/// What a partition's state says, as far as it does not depend on the order between the topics:
/// members and their memberships, known ids, watermarks, marks, replies, deletes, and what was
/// announced. Not: what waits, when anything was applied, and the unread cursors.
///
/// Counts follow from these; `Machine.violations` tells where a machine's do not.
package struct StateSummary: Equatable, Sendable {
  /// What each piece says, by its name.
  private var pieces: [String: String] = [:]

  /// Sums up what a machine holds.
  package init(_ machine: Machine) {
    Self.forEachPiece(machine) { piece in pieces[piece.name] = piece.text }
  }

  /// One piece of a state.
  package struct Piece {
    /// What it is about.
    package enum Subject {
      /// The conversation, a member or how far they have come in a thread.
      case conversation
      /// A message.
      case message(Int64)
      /// The replies to a parent.
      case thread(Int64)
    }

    /// The conversation that it belongs to.
    package var conversation: [UInt8]
    /// What it is about.
    package var subject: Subject
    /// Names it within the partition.
    package var name: String
    /// What it says.
    package var text: String
  }

  /// Calls `body` with every piece that a machine holds, in an order that depends on nothing but
  /// the state.
  package static func forEachPiece(_ machine: Machine, _ body: (Piece) -> Void) {
    var conversation: [UInt8] = []
    // Slots are given in the order of arrival, so a member goes by the name.
    var uids: [Int32: String] = [:]
    func add(
      _ subject: Piece.Subject, _ piece: (name: String, text: String)?
    ) {
      guard let piece else { return }
      body(
        Piece(
          conversation: conversation, subject: subject, name: piece.name, text: piece.text))
    }
    machine.forEachPiece { change in
      switch change {
      case .conversation(let state):
        // It comes before all else of the conversation.
        conversation = state.conversation
        uids.removeAll(keepingCapacity: true)
        add(.conversation, piece(state))
      case .member(let state):
        uids[state.slot] = state.uid.text
        add(.conversation, piece(state))
      case .message(let state): add(.message(state.id), piece(state, uids))
      case .marks(let state): add(.message(state.id), piece(state, uids))
      case .thread(let state):
        add(
          .thread(state.parentMessageId),
          ("\(state.conversation.text) thread \(state.parentMessageId)", "\(state.replyCount)"))
      case .position(let state): add(.conversation, piece(state, uids))
      case .deletion(let state):
        let said = "by \(state.deletedBy.text) at \(state.deletedAt.milliseconds)"
        add(.message(state.id), ("\(state.conversation.text) deletion \(state.id)", said))
      case .waiting, .removed: break
      }
    }
  }

  /// Where two summaries differ, each place with what both say.
  package func differences(from other: StateSummary) -> [String] {
    Set(pieces.keys).union(other.pieces.keys).sorted().compactMap { name in
      let (mine, others) = (pieces[name], other.pieces[name])
      return mine == others ? nil : "\(name): \(mine ?? "nothing") / \(others ?? "nothing")"
    }
  }

  private static func piece(_ state: ConversationState) -> (name: String, text: String) {
    (
      state.conversation.text,
      "\(state.roster), first roster \(state.firstRosterId.text), floor \(state.largeFloor.text)"
    )
  }

  private static func piece(_ state: MemberState) -> (name: String, text: String)? {
    let watermarks = [state.progress.delivered, state.progress.read].map(\.text)
    let isBlank = [state.progress.delivered, state.progress.read].allSatisfy {
      $0.upTo == 0 && $0.sentUpTo == .distantPast
    }
    // Who has a slot and nothing else has been spoken of, no more.
    guard !state.periods.isEmpty || !isBlank else { return nil }
    let periods = state.periods.map { period in
      "\(period.beginId)@\(period.beginSequence)-\(period.endId.text)@\(period.endSequence.text)"
        + (period.isExempt ? " exempt" : "")
    }
    return (
      "\(state.conversation.text) member \(state.uid.text)",
      "\(state.scope) \(periods) delivered \(watermarks[0]) read \(watermarks[1])"
    )
  }

  private static func piece(
    _ state: PositionState, _ uids: [Int32: String]
  ) -> (name: String, text: String)? {
    let name = "\(state.conversation.text) thread \(state.parentMessageId)"
    // Who has no more than a cursor there has received and read nothing of it.
    guard state.progress.delivered.upTo != 0 || state.progress.read.upTo != 0 else { return nil }
    return (
      "\(name) member \(uids[state.slot] ?? "?")",
      "delivered \(state.progress.delivered.text) read \(state.progress.read.text)"
    )
  }

  private static func piece(
    _ state: MessageState, _ uids: [Int32: String]
  ) -> (name: String, text: String) {
    var text = "@\(state.sequence) sent \(state.sentAt.milliseconds)"
    if case .message(let sender, let uid, let parent, let tracking, let announced, let counts) =
      state.body
    {
      text += " by \(uids[sender] ?? "?") as \(uid?.text ?? "-") under \(parent) \(tracking)"
      if announced.deliveredAt != nil { text += " delivered" }
      if announced.readAt != nil { text += " read" }
      if let counts { text += " \(counts)" }
    } else {
      text += " action"
    }
    return ("\(state.conversation.text) message \(state.id)", text)
  }

  private static func piece(
    _ state: MarksState, _ uids: [Int32: String]
  ) -> (name: String, text: String) {
    let sets = [state.delivered, state.read].map { words in
      MarksState.slots(words).map { uids[$0] ?? "?" }.sorted()
    }
    return (
      "\(state.conversation.text) marks \(state.id)", "delivered \(sets[0]) read \(sets[1])"
    )
  }
}

extension [UInt8] {
  fileprivate var text: String { String(decoding: self, as: UTF8.self) }
}

extension Watermarks {
  fileprivate var text: String { "\(upTo)/\(sentUpTo.milliseconds)" }
}

extension Int64? {
  fileprivate var text: String { map { "\($0)" } ?? "-" }
}
