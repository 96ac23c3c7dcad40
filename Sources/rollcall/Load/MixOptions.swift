import Lab

extension Option {
  /// What a workload is made of, by the same names for every command that has one. The preset is
  /// not among them: it comes before them all.
  static func mix(_ mix: WritableKeyPath<Settings, WorkloadOptions>) -> [Option] {
    counts(mix) + shares(mix)
  }

  private static func counts(_ mix: WritableKeyPath<Settings, WorkloadOptions>) -> [Option] {
    func count(
      _ name: String, _ metavar: String, _ path: WritableKeyPath<WorkloadOptions, Int>,
      from least: Int = 0, to most: Int = 10_000_000, _ help: String
    ) -> Option {
      .number(name, metavar, mix.appending(path: path), in: least...most, help: help)
    }
    return [
      count("groups", "COUNT", \.groups, from: 1, "Groups small enough to be tracked."),
      count("smallest-group", "MEMBERS", \.smallestGroup, from: 2, "Members of the smallest."),
      count(
        "largest-group", "MEMBERS", \.largestGroup, from: 2,
        "Members of the largest; between them, each size is as frequent as it is small."),
      count(
        "groups-beyond-cap", "COUNT", \.groupsBeyondCap,
        "Groups besides with more members than are tracked."),
      count(
        "groups-without-roster", "COUNT", \.groupsWithoutRoster,
        "Groups besides of which nobody says who is in."),
      count("pairs", "COUNT", \.pairs, "Conversations of two besides."),
      count(
        "busy", "COUNT", \.busy, from: 1, to: 10_000,
        "Conversations in which something goes on at the same time."),
      count(
        "virtual-rate", "RECORDS", \.recordsPerSecond, from: 1,
        "Records made in a second of the workload's own time, which the records tell."),
      count(
        "burst", "MESSAGES", \.burst, from: 1,
        "The most messages that a conversation gets before its members read."),
      count("text-bytes", "BYTES", \.textBytes, to: 500_000, "The longest text of a message."),
      count(
        "late-records", "RECORDS", \.lateRecords, from: 1, to: 10_000,
        "How many records a late or repeated one may be behind."),
    ]
  }

  private static func shares(_ mix: WritableKeyPath<Settings, WorkloadOptions>) -> [Option] {
    let table: [(String, WritableKeyPath<WorkloadOptions, Share>, String)] = [
      ("churn", \.churn, "Bursts before which somebody comes or goes."),
      ("snapshots", \.snapshots, "Of these changes, those that are a whole roster."),
      ("crowds", \.crowds, "Groups into which a crowd comes now and then, past the cap."),
      ("delivered", \.delivered, "Turns in which a device tells what it received."),
      ("skips", \.skips, "Turns that a member lets pass; the next one catches up."),
      ("exact", \.exact, "Members whose receipts name exactly what was read."),
      ("conversation", \.conversation, "Other receipts that mark the whole conversation."),
      ("slow", \.slow, "Members whose devices are one turn behind."),
      ("silent", \.silent, "Members who never read."),
      ("exempt", \.exempt, "Members for whom nobody waits."),
      ("unread", \.unread, "Turns in which a member marks something unread."),
      ("replies", \.replies, "Messages that are replies."),
      ("unrequested", \.unrequested, "Messages for which no receipts are wanted."),
      ("deletes", \.deletes, "Messages that are deleted."),
      ("edits", \.edits, "Messages that are edited."),
      ("duplicates", \.duplicates, "Records that are written again."),
      ("late", \.late, "Records that are written late."),
      ("forged", \.forged, "Records besides that name what never comes."),
      ("bad", \.bad, "Records besides that break a rule."),
      ("oversized", \.oversized, "Records besides whose value is too large."),
      ("odd-names", \.oddNames, "Conversations whose names need escaping."),
      ("whole-seconds", \.wholeSeconds, "Conversations whose clients know no milliseconds."),
    ]
    return table.map { name, path, help in
      .share(name, mix.appending(path: path), help: help)
    }
  }

  /// A part of a whole, in percent.
  private static func share(
    _ name: String, _ path: WritableKeyPath<Settings, Share>, help: String
  ) -> Option {
    .value(
      name, "PERCENT", path, allowed: "a percentage from 0% to 100%, such as 2% or 0.1%",
      help: help,
      read: { value in
        Double(value.hasSuffix("%") ? value.dropLast() : value[...])
          .flatMap { (0...100).contains($0) ? Share(percent: $0) : nil }
      },
      show: { share in
        let (whole, rest) = share.perMillion.quotientAndRemainder(dividingBy: 10_000)
        guard rest > 0 else { return "\(whole)%" }
        var decimals = String(10_000 + rest).dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        return "\(whole).\(decimals)%"
      })
  }
}
