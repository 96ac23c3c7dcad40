import CKafka

extension Admin {
  /// How many members a consumer group has now; 0 also where there is no such group.
  package func memberCount(of group: String) throws(KafkaError) -> Int {
    try handle.repeating(.admin, within: timeout) { milliseconds throws(KafkaError) in
      var found: UnsafePointer<rd_kafka_group_list>?
      let code = unsafe rd_kafka_list_groups(handle.pointer, group, &found, milliseconds)
      guard code == RD_KAFKA_RESP_ERR_NO_ERROR else { throw handle.error(.admin, code) }
      guard let list = unsafe found else { return 0 }
      defer { unsafe rd_kafka_group_list_destroy(list) }
      let groups = unsafe UnsafeBufferPointer(
        start: list.pointee.groups, count: Int(list.pointee.group_cnt))
      var members = 0
      for index in groups.indices { members += unsafe Int(groups[index].member_cnt) }
      return members
    }
  }

  /// Deletes topics with all that is in them.
  package func delete(topics: [String]) throws(KafkaError) {
    guard !topics.isEmpty else { return }
    var deletions: [OpaquePointer?] = unsafe topics.map { unsafe rd_kafka_DeleteTopic_new($0) }
    defer { unsafe rd_kafka_DeleteTopic_destroy_array(&deletions, deletions.count) }
    let answer = try unsafe ask(RD_KAFKA_ADMIN_OP_DELETETOPICS) { options, queue in
      unsafe rd_kafka_DeleteTopics(handle.pointer, &deletions, deletions.count, options, queue)
    }
    var count = 0
    let results = unsafe rd_kafka_DeleteTopics_result_topics(answer.event, &count)
    for index in 0..<count {
      guard let result = unsafe results?[index] else { continue }
      try unsafe check(
        unsafe rd_kafka_topic_result_error(result),
        unsafe rd_kafka_topic_result_error_string(result))
    }
  }

  /// Deletes a group without members and all that it has committed.
  package func delete(group: String) throws(KafkaError) {
    try handle.repeating(.admin, within: timeout) { _ throws(KafkaError) in
      try deleteOnce(group: group)
    }
  }

  private func deleteOnce(group: String) throws(KafkaError) {
    var deletions: [OpaquePointer?] = unsafe [rd_kafka_DeleteGroup_new(group)]
    defer { unsafe rd_kafka_DeleteGroup_destroy_array(&deletions, deletions.count) }
    let answer = try unsafe ask(RD_KAFKA_ADMIN_OP_DELETEGROUPS) { options, queue in
      unsafe rd_kafka_DeleteGroups(handle.pointer, &deletions, deletions.count, options, queue)
    }
    var count = 0
    let results = unsafe rd_kafka_DeleteGroups_result_groups(answer.event, &count)
    for index in 0..<count {
      guard let result = unsafe results?[index],
        let error = unsafe rd_kafka_group_result_error(result)
      else { continue }
      try unsafe check(rd_kafka_error_code(error), unsafe rd_kafka_error_string(error))
    }
  }
}
