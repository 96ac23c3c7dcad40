import CKafka

/// Asks for and changes topics and what groups have committed. One thread uses it.
package final class Admin {
  let handle: Handle
  let timeout: Duration

  /// Makes a client; nothing is sent before the first question. Each call takes at most `timeout`.
  package init(
    _ settings: Settings, timeout: Duration = .seconds(15), notify: @escaping Notify
  ) throws(KafkaError) {
    self.timeout = timeout
    handle = try Handle(.producer, settings.admin, notify: notify)
  }

  /// What the cluster says of itself.
  package struct Cluster: Equatable, Sendable {
    /// The number of brokers.
    package var brokers: Int
    /// The topics that this client may see.
    package var topics: [TopicLayout]
  }

  /// How a topic is laid out.
  package struct TopicLayout: Equatable, Sendable {
    /// The topic's name.
    package var name: String
    /// The number of partitions.
    package var partitions: Int
    /// The copies of its first partition.
    package var replicationFactor: Int
  }

  /// All topics of the cluster that this client may see. Asking for all of them creates none.
  package func cluster() throws(KafkaError) -> Cluster {
    try handle.repeating(.metadata, within: timeout) { milliseconds throws(KafkaError) in
      var found: UnsafePointer<rd_kafka_metadata>?
      let code = unsafe rd_kafka_metadata(handle.pointer, 1, nil, &found, milliseconds)
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw handle.error(.metadata, code) }
      guard let metadata = unsafe found else { return Cluster(brokers: 0, topics: []) }
      defer { unsafe rd_kafka_metadata_destroy(metadata) }
      let topics = unsafe UnsafeBufferPointer(
        start: metadata.pointee.topics, count: Int(metadata.pointee.topic_cnt))
      var layouts: [TopicLayout] = []
      for index in topics.indices { layouts.append(unsafe TopicLayout(topics[index])) }
      return Cluster(brokers: unsafe Int(metadata.pointee.broker_cnt), topics: layouts)
    }
  }

  /// The settings of topics, by topic and name; for a topic whose settings may not be read, why.
  package func configurations(
    of topics: [String]
  ) throws(KafkaError) -> [String: Result<[String: String], KafkaError>] {
    guard !topics.isEmpty else { return [:] }
    var resources = unsafe topics.map { name in
      unsafe rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, name)
    }
    defer { unsafe rd_kafka_ConfigResource_destroy_array(&resources, resources.count) }
    let answer = try unsafe ask(RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS) { options, queue in
      unsafe rd_kafka_DescribeConfigs(handle.pointer, &resources, resources.count, options, queue)
    }
    var count = 0
    let described = unsafe rd_kafka_DescribeConfigs_result_resources(answer.event, &count)
    var configurations: [String: Result<[String: String], KafkaError>] = [:]
    for index in 0..<count {
      guard let resource = unsafe described?[index],
        let name = unsafe rd_kafka_ConfigResource_name(resource)
      else { continue }
      let topic = unsafe String(cString: name)
      let code = unsafe rd_kafka_ConfigResource_error(resource)
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR else {
        let error = handle.error(.describeConfigs, code, topic: topic)
        guard error.denial != nil else { throw error }
        configurations[topic] = .failure(error)
        continue
      }
      var entryCount = 0
      let entries = unsafe rd_kafka_ConfigResource_configs(resource, &entryCount)
      var settings: [String: String] = [:]
      for index in 0..<entryCount {
        guard let entry = unsafe entries?[index],
          let name = unsafe rd_kafka_ConfigEntry_name(entry),
          let value = unsafe rd_kafka_ConfigEntry_value(entry)
        else { continue }
        unsafe settings[String(cString: name)] = String(cString: value)
      }
      configurations[topic] = .success(settings)
    }
    return configurations
  }

  /// A topic to be made.
  package struct NewTopic: Equatable, Sendable {
    /// The topic's name.
    package var name: String
    /// The number of partitions.
    package var partitions: Int32
    /// -1: the broker's default.
    package var replicationFactor: Int32
    /// Settings that differ from the broker's defaults.
    package var configuration: [Property]

    /// A topic that is to be made.
    package init(
      name: String, partitions: Int32, replicationFactor: Int32, configuration: [Property] = []
    ) {
      self.name = name
      self.partitions = partitions
      self.replicationFactor = replicationFactor
      self.configuration = configuration
    }
  }

  /// Makes topics, and waits until the brokers know them.
  package func create(_ topics: [NewTopic]) throws(KafkaError) {
    guard !topics.isEmpty else { return }
    var made: [OpaquePointer?] = unsafe []
    defer { unsafe rd_kafka_NewTopic_destroy_array(&made, made.count) }
    for topic in topics {
      let (new, text) = unsafe withErrorText { buffer, size in
        unsafe rd_kafka_NewTopic_new(
          topic.name, topic.partitions, topic.replicationFactor, buffer, size)
      }
      guard let new = unsafe new else { throw .configuration("topic \(topic.name): \(text)") }
      unsafe made.append(new)
      for property in topic.configuration {
        let code = unsafe rd_kafka_NewTopic_set_config(new, property.name, property.value)
        guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw handle.error(.admin, code) }
      }
    }
    let answer = try unsafe ask(RD_KAFKA_ADMIN_OP_CREATETOPICS) { options, queue in
      unsafe rd_kafka_CreateTopics(handle.pointer, &made, made.count, options, queue)
    }
    var count = 0
    let results = unsafe rd_kafka_CreateTopics_result_topics(answer.event, &count)
    for index in 0..<count {
      guard let result = unsafe results?[index] else { continue }
      try unsafe check(
        unsafe rd_kafka_topic_result_error(result),
        unsafe rd_kafka_topic_result_error_string(result))
    }
    try awaitTopics(topics.map(\.name))
  }

  /// Waits until brokers tell clients of topics that the cluster's controller has made.
  private func awaitTopics(_ names: [String]) throws(KafkaError) {
    let deadline = Deadline(after: timeout)
    while true {
      let counts = try names.map { name throws(KafkaError) in
        try layout(of: name)?.partitions ?? 0
      }
      guard let missing = zip(names, counts).first(where: { $0.1 == 0 })?.0 else { return }
      guard !deadline.hasPassed else {
        let text = "no broker knows the new topic \(missing)"
        throw .timedOut(
          .admin, .init(.admin, RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART, text: text))
      }
      pause(.milliseconds(20))
    }
  }

  /// Deletes the records of partitions below an offset; without one, all of them.
  package func deleteRecords(_ positions: [Position]) throws(KafkaError) {
    guard !positions.isEmpty else { return }
    let list = PartitionList(
      positions.map { Position($0.partition, offset: $0.offset) }, absent: RD_KAFKA_OFFSET_END)
    var deletions: [OpaquePointer?] = unsafe [rd_kafka_DeleteRecords_new(list.pointer)]
    defer { unsafe rd_kafka_DeleteRecords_destroy_array(&deletions, deletions.count) }
    let answer = try unsafe ask(RD_KAFKA_ADMIN_OP_DELETERECORDS) { options, queue in
      unsafe rd_kafka_DeleteRecords(
        handle.pointer, &deletions, deletions.count, options, queue)
    }
    guard let result = unsafe rd_kafka_DeleteRecords_result_offsets(answer.event) else { return }
    _ = try unsafe PartitionList.positions(in: result, of: .admin)
  }

  /// Has a group without members forget what it committed for these partitions.
  package func deleteOffsets(
    of group: String, _ partitions: [TopicPartition]
  ) throws(KafkaError) {
    guard !partitions.isEmpty else { return }
    // The library does not look for the group's coordinator again by itself.
    try handle.repeating(.admin, within: timeout) { _ throws(KafkaError) in
      try deleteOffsetsOnce(of: group, partitions)
    }
  }

  private func deleteOffsetsOnce(
    of group: String, _ partitions: [TopicPartition]
  ) throws(KafkaError) {
    let list = PartitionList(partitions.map { Position($0, offset: nil) })
    var deletions: [OpaquePointer?] =
      unsafe [rd_kafka_DeleteConsumerGroupOffsets_new(group, list.pointer)]
    defer {
      unsafe rd_kafka_DeleteConsumerGroupOffsets_destroy_array(&deletions, deletions.count)
    }
    let answer = try unsafe ask(RD_KAFKA_ADMIN_OP_DELETECONSUMERGROUPOFFSETS) { options, queue in
      unsafe rd_kafka_DeleteConsumerGroupOffsets(
        handle.pointer, &deletions, deletions.count, options, queue)
    }
    var count = 0
    let results = unsafe rd_kafka_DeleteConsumerGroupOffsets_result_groups(answer.event, &count)
    for index in 0..<count {
      guard let result = unsafe results?[index] else { continue }
      if let error = unsafe rd_kafka_group_result_error(result) {
        try unsafe check(rd_kafka_error_code(error), unsafe rd_kafka_error_string(error))
      }
      guard let partitions = unsafe rd_kafka_group_result_partitions(result) else { continue }
      _ = try unsafe PartitionList.positions(in: partitions, of: .admin)
    }
  }
}

extension Admin.TopicLayout {
  init(_ topic: borrowing rd_kafka_metadata_topic_t) {
    name = unsafe String(cString: topic.topic)
    partitions = unsafe Int(topic.partition_cnt)
    replicationFactor = unsafe partitions > 0 ? Int(topic.partitions[0].replica_cnt) : 0
  }
}
