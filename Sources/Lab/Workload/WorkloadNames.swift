/// What a conversation and those in it are called, in its key and in JSON.
struct WorkloadNames: Sendable {
  /// The conversation's id, which is the Kafka key.
  let key: [UInt8]
  /// Whether both sides of a conversation of two are the same.
  let isAlone: Bool
  private let isPair: Bool
  /// What names begin with, as JSON spells it, in one or several ways.
  private let stems: [[UInt8]]
  /// What a group's name or those of a pair go on with.
  private let rest: [UInt8]

  /// What a parser has to get right, plain and in two spellings.
  private static let odd = "\u{E9}\"\\\t\u{1F600}"
  private static let spellings = [
    #"é\"\\\t"# + "\u{1F600}", #"\u00e9\u0022\u005C\u0009\ud83d\uDE00"#,
  ]

  /// Names a group.
  init(group: String, isOdd: Bool) {
    key = Array(("group_" + (isOdd ? Self.odd : "") + group).utf8)
    isAlone = false
    isPair = false
    stems = Self.stems(isOdd)
    rest = Array(group.utf8)
  }

  /// Names a conversation of two, or of one user alone.
  init(pair: String, isOdd: Bool, isAlone: Bool) {
    let uid = (isOdd ? Self.odd : "") + pair
    key = Array("\(uid)a_user_\(uid)\(isAlone ? "a" : "b")".utf8)
    self.isAlone = isAlone
    isPair = true
    stems = Self.stems(isOdd)
    rest = Array(pair.utf8)
  }

  private static func stems(_ isOdd: Bool) -> [[UInt8]] {
    isOdd ? spellings.map { Array($0.utf8) } : [[]]
  }

  /// Writes the uid of a member, quoted.
  func writeUid(_ number: Int64, _ pen: inout WorkloadPen) {
    pen.write("\"")
    pen.write(stem(&pen))
    if isPair {
      pen.write(rest)
      pen.write(number == 0 ? "a" : "b")
    } else {
      pen.write("u")
      pen.write(number)
    }
    pen.write("\"")
  }

  /// Writes the fields that say where a record of this actor belongs.
  func writeReceiver(of actor: Int64, _ pen: inout WorkloadPen) {
    pen.write(#""receiverId":"#)
    if isPair {
      writeUid(isAlone ? 0 : 1 - actor, &pen)
      pen.write(#","receiverType":"user""#)
    } else {
      pen.write("\"")
      pen.write(stem(&pen))
      pen.write(rest)
      pen.write(#"","receiverType":"group""#)
    }
  }

  /// Writes the `messageUId` of a message, quoted.
  func writeMessageUId(_ id: Int64, _ pen: inout WorkloadPen) {
    pen.write("\"")
    pen.write(rest)
    pen.write("-")
    pen.write(id)
    pen.write("\"")
  }

  private func stem(_ pen: inout WorkloadPen) -> [UInt8] {
    stems[stems.count == 1 ? 0 : pen.below(stems.count)]
  }
}
