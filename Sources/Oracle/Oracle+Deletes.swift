/// What comes of deletes.
extension Oracle {
  mutating func checkAction(_ output: OracleRecord) {
    guard let value = JSON.parsed(output.value), let key = output.key,
      value["conversationId"]?.text?.bytes == key
    else { return verdict.find(.wrong, "\(output.place) is no action") }
    let digest = OracleDigest(OracleDigest(key), OracleDigest(value))
    if let left = actions[digest] {
      actions[digest] = left - 1
      if left <= 0 { verdict.find(.doubled, "\(output.place), an action") }
      return
    }
    checkStrangeAction(value, output)
  }

  /// An action that the model does not have: of a delete whose order decides.
  private mutating func checkStrangeAction(_ value: JSON, _ output: OracleRecord) {
    verdict.find(.wrong, "\(output.place), an action, which nothing asks for")
  }

  /// A `messageDeleted` or `threadUpdated` that the model does not have.
  mutating func checkStrangeDelete(_ event: OracleEvent, _ value: JSON) {
    verdict.find(.wrong, "\(event.description), which nothing asks for")
  }
}
