import CMalloc
import Core
import Foundation
import Wire
import Worker

/// Measures the engine: decode, apply, encode and the changelog form, without a broker. Each figure
/// is the median of several runs; compare figures of one run only.
@main
struct Benchmarks {
  static func main() {
    let only = CommandLine.arguments.dropFirst().first
    for (name, measure) in all where only == nil || only == name { measure() }
  }

  private static let all: [(String, @Sendable () -> Void)] = [
    ("pipeline", measurePipeline), ("span", measureSpan), ("memory", measureMemory),
    ("restore", measureRestore), ("steps", measureSteps),
  ]

  /// Receipts through decode, apply and encode with state records, as a worker does it: many
  /// groups, each message read by each member.
  private static func measurePipeline() {
    for receiptEvents in [Rules.ReceiptEvents.none, .all] {
      var rules = Rules()
      rules.receiptEvents = receiptEvents
      let run = Run(rules: rules)
      let groups = 200
      let members = 50
      for group in 0..<groups { run.apply(.messages, key(group), Records.roster(group, members)) }
      run.drain()
      var receipts: [(key: [UInt8], value: [UInt8])] = []
      var seconds: [Double] = []
      for message in 2..<22 {
        receipts.removeAll()
        for group in 0..<groups {
          run.apply(.messages, key(group), Records.message(group, message))
          for member in 1..<members {
            receipts.append((key(group), Records.read(group, member, message)))
          }
        }
        run.drain()
        let time = ContinuousClock().measure {
          for (number, receipt) in receipts.enumerated() {
            run.apply(.receipts, receipt.key, receipt.value)
            if number % 1000 == 999 { run.drain() }
          }
          run.drain()
        }
        seconds.append(time / .seconds(1) / Double(receipts.count))
      }
      let median = seconds.sorted()[seconds.count / 2]
      print(
        "pipeline, receiptEvents \(receiptEvents.rawValue): \(format(median * 1e9)) ns a receipt,",
        "\(format(1 / median / 1e6)) million receipts a second and core")
    }
  }

  /// One receipt that covers few messages or many: time and bytes in the changelog.
  private static func measureSpan() {
    for span in [1, 10, 100, 1000, 10_000] {
      let run = Run(rules: Rules())
      run.apply(.messages, key(0), Records.roster(0, 300))
      for message in 2..<(2 + span) { run.apply(.messages, key(0), Records.message(0, message)) }
      run.drain()
      var seconds: [Double] = []
      var bytes = 0
      for member in 1..<200 {
        let receipt = Records.read(0, member, 1 + span)
        let time = ContinuousClock().measure { run.apply(.receipts, key(0), receipt) }
        seconds.append(time / .seconds(1))
        bytes = run.drain()
      }
      print(
        "a receipt that covers \(span) messages: \(format(seconds.sorted()[99] * 1e6)) µs,",
        "\(bytes) bytes in the changelog")
    }
  }

  /// A group of 3000 with 10,000 open messages, all that it holds after a transaction.
  private static func measureMemory() {
    let run = Run(rules: Rules())
    run.apply(.messages, key(0), Records.roster(0, 3000))
    for message in 2..<10_002 {
      run.apply(.messages, key(0), Records.message(0, message))
      if message % 1000 == 0 { run.drain() }
    }
    for member in 1..<3000 {
      run.apply(.receipts, key(0), Records.read(0, member, member + 5000))
      if member % 1000 == 0 { run.drain() }
    }
    run.drain()
    // What the machine gives back is what it held; the codec's buffers are the worker's.
    let before = allocatedBytes()
    run.forget()
    let mebibytes = Double(before - allocatedBytes()) / 1_048_576
    print("3000 members, 10,000 open messages: \(format(mebibytes)) MiB held")
  }

  /// A changelog of 100,000 open messages, folded.
  private static func measureRestore() {
    let run = Run(rules: Rules())
    var fold = StateFold()
    let groups = 1000
    for group in 0..<groups {
      run.apply(.messages, key(group), Records.roster(group, 50))
      for message in 2..<102 { run.apply(.messages, key(group), Records.message(group, message)) }
      for member in 1..<40 {
        run.apply(.receipts, key(group), Records.read(group, member, 2 + member))
      }
    }
    run.drain { key, value in
      do { try fold.take(key: key, value: value) } catch { print("unreadable state: \(error)") }
    }
    let count = fold.count
    let time = ContinuousClock().measure {
      do {
        _ = try fold.finish(rules: Rules(), partition: 0)
      } catch {
        print("unreadable state: \(error)")
      }
    }
    print(
      "restoring \(groups * 100) open messages (\(count) pieces): \(format(time / .seconds(1))) s")
  }

  static func key(_ group: Int) -> [UInt8] { Array("group_g\(group)".utf8) }

  static func format(_ number: Double) -> String { String(format: "%.2f", number) }

  /// What malloc has given out and not got back.
  private static func allocatedBytes() -> Int {
    let info = mallinfo2()
    return Int(info.uordblks) + Int(info.hblkhd)
  }
}

/// The engine with its codec, fed with texts.
final class Run {
  var machine: Machine
  private var engine: Engine
  private var tally = StateTally()
  private var offset: Int64 = 0

  init(rules: Rules) {
    machine = Machine(partition: 0, rules: rules)
    engine = Engine(rules: rules)
  }

  /// Gives back all that the machine holds.
  func forget() { machine = Machine(partition: 0, rules: machine.rules) }

  func apply(_ topic: InputTopic, _ key: [UInt8], _ value: [UInt8]) {
    let coordinates = Coordinates(
      topic: topic, partition: 0, offset: offset,
      timestamp: Instant(milliseconds: 1_771_586_000_000 + offset / 1000))
    offset += 1
    engine.apply(
      coordinates, key: key.span, value: value.span, to: &machine, clock: .distantFuture)
  }

  /// Moves stream time on, and does some of what is due.
  func tick(to time: Instant, limit: Int) -> Bool {
    engine.tick(&machine, to: time, limit: limit)
  }

  /// Ends a transaction: encodes what has changed.
  @discardableResult
  func drain(_ body: ((Span<UInt8>?, Span<UInt8>?) -> Void)? = nil) -> Int {
    var size = 0
    engine.drain(&machine, &tally) { piece in
      size += piece.bytes.count
      guard let body else { return }
      for record in piece.records {
        let key = record.key.map { Array(piece.bytes[$0]) }
        let value = record.value.map { Array(piece.bytes[$0]) }
        body(key?.span, value?.span)
      }
    }
    return size
  }
}

/// Input records of about the size that a chat backend writes.
enum Records {
  static func roster(_ group: Int, _ members: Int, id: Int = 1) -> [UInt8] {
    let uids = (0..<members).map { #"{"uid":"user-\#($0)"}"# }.joined(separator: ",")
    return Array(
      #"""
      {"id":\#(id),"category":"action","type":"groupMember","action":"roster",\#
      "actionOn":[\#(uids)],\#
      "receiverId":"g\#(group)","receiverType":"group","sentAt":1771586000}
      """#.utf8)
  }

  static func message(_ group: Int, _ id: Int, parent: Int = 0, sentAt: Int? = nil) -> [UInt8] {
    let thread = parent == 0 ? "" : "\"parentMessageId\":\(parent),"
    return Array(
      #"""
      {"id":\#(id),\#(thread)"sender":{"uid":"user-0","name":"Ann"},"receiverId":"g\#(group)",\#
      "receiverType":"group","category":"message","type":"text",\#
      "sentAt":\#(sentAt ?? 1_771_586_001),"text":"hi"}
      """#.utf8)
  }

  /// A receipt for all that was sent up to a time, in seconds.
  static func readAll(_ group: Int, _ member: Int, at time: Int) -> [UInt8] {
    Array(
      #"""
      {"receiptType":"read","conversation":true,"sender":{"uid":"user-\#(member)","name":"Bo"},\#
      "receiverId":"g\#(group)","receiverType":"group","readAt":\#(time)}
      """#.utf8)
  }

  /// An exact receipt.
  static func read(_ group: Int, _ member: Int, exactly ids: Range<Int>) -> [UInt8] {
    Array(
      #"""
      {"receiptType":"read","messageIds":[\#(ids.map(String.init).joined(separator: ","))],\#
      "sender":{"uid":"user-\#(member)","name":"Bo"},\#
      "receiverId":"g\#(group)","receiverType":"group","readAt":1771586990}
      """#.utf8)
  }

  static func read(_ group: Int, _ member: Int, _ id: Int) -> [UInt8] {
    Array(
      #"""
      {"receiptType":"read","messageId":\#(id),"sender":{"uid":"user-\#(member)","name":"Bo"},\#
      "receiverId":"g\#(group)","receiverType":"group","readAt":1771586990}
      """#.utf8)
  }
}
