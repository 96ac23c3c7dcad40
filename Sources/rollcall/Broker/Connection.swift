import Core
import Kafka
import Ops
import Worker

/// Where Kafka is, what the topics are called there, and what librdkafka is told besides.
struct Connection {
  /// `host:port`, separated by commas.
  var bootstrapServers = "localhost:9092"
  /// Stands before all default names.
  var topicPrefix = ""
  /// Names that are given whole.
  var topicOverrides: [Topic: String] = [:]
  /// The user's properties, in their order; the last of a name counts.
  var properties: [Property] = []

  /// Who the brokers take us for, by Kafka's default rules; nil where only they know.
  var principal: String? {
    func value(_ names: String...) -> String? {
      properties.last { names.contains($0.name) }?.value
    }
    switch (value("security.protocol") ?? "plaintext").lowercased() {
    case "plaintext": return "User:ANONYMOUS"
    case "sasl_plaintext", "sasl_ssl": return value("sasl.username").map { "User:\($0)" }
    default: return nil
    }
  }

  /// What the topics are called.
  var names: TopicNames { TopicNames(prefix: topicPrefix, overrides: topicOverrides) }
}

extension Option {
  /// The options of every command that talks to Kafka.
  static func connection(_ path: WritableKeyPath<Settings, Connection>) -> [Option] {
    [
      .text(
        "bootstrap-servers", "HOST:PORT,…", path.appending(path: \.bootstrapServers),
        help: "Where Kafka is."),
      .text(
        "topic-prefix", "PREFIX", path.appending(path: \.topicPrefix), mayBeEmpty: true,
        help: "Stands before the default names of all topics."),
      topicOverride(path), property(path), propertyFile(path),
    ]
  }

  private static func topicOverride(_ path: WritableKeyPath<Settings, Connection>) -> Option {
    let names = Topic.allCases.map(\.defaultName)
    return Option(
      name: "topic", metavar: "NAME=OTHER", kind: .list(separator: ","),
      help: "The whole name of the topic whose default name is NAME.",
      set: { settings, value throws(BadValue) in
        guard let (name, other) = pair(value),
          let topic = Topic.allCases.first(where: { $0.defaultName == name })
        else {
          throw BadValue(allowed: "NAME=OTHER, where NAME is \(names.joined(separator: ", "))")
        }
        settings[keyPath: path].topicOverrides[topic] = other
      },
      show: { settings in
        let overrides = settings[keyPath: path].topicOverrides
        return Topic.allCases.compactMap { topic in
          overrides[topic].map { "\(topic.defaultName)=\($0)" }
        }.joined(separator: ",")
      })
  }

  private static func property(_ path: WritableKeyPath<Settings, Connection>) -> Option {
    Option(
      name: "kafka", metavar: "NAME=VALUE", kind: .list(separator: ";"), isSecret: true,
      help: """
        Any property of librdkafka that no option sets. Of message.timeout.ms (6000), \
        transaction.timeout.ms (8000), session.timeout.ms (10000) and max.poll.interval.ms (60000) \
        each has to be below the next.
        """,
      set: { settings, value throws(BadValue) in
        guard let (name, value) = pair(value) else { throw BadValue(allowed: "NAME=VALUE") }
        settings[keyPath: path].properties.append(Property(name, value))
      },
      show: { $0[keyPath: path].properties.map(Secrets.shown).joined(separator: ";") })
  }

  private static func propertyFile(_ path: WritableKeyPath<Settings, Connection>) -> Option {
    Option(
      name: "kafka-properties", metavar: "FILE",
      help: "A file of such properties, NAME=VALUE a line; lines that begin with # say nothing.",
      set: { settings, file throws(BadValue) in
        settings[keyPath: path].properties += try properties(inFile: file)
      }, show: { _ in "" })
  }

  private static func properties(inFile file: String) throws(BadValue) -> [Property] {
    var bytes: [UInt8] = []
    do throws(Descriptor.Failure) {
      let descriptor = try Descriptor(reading: file)
      while try descriptor.read(upTo: 65536, into: &bytes) {}
    } catch {
      throw BadValue(allowed: "a file that can be read (\(file): \(error.detail))")
    }
    var properties: [Property] = []
    for (index, line) in String(decoding: bytes, as: UTF8.self).split(
      omittingEmptySubsequences: false, whereSeparator: \.isNewline
    ).enumerated() {
      let line = line.drop(while: \.isWhitespace)
      if line.isEmpty || line.hasPrefix("#") { continue }
      guard let (name, value) = pair(String(line)) else {
        throw BadValue(allowed: "lines of the form NAME=VALUE (\(file), line \(index + 1))")
      }
      properties.append(Property(name, value))
    }
    return properties
  }

  /// Parts `NAME=VALUE`; nil when there is no name or no sign.
  private static func pair(_ text: String) -> (String, String)? {
    guard let sign = text.firstIndex(of: "="), sign > text.startIndex else { return nil }
    return (String(text[..<sign]), String(text[text.index(after: sign)...]))
  }
}
