import Core

extension SimulationLabel {
  /// What there is in the outputs of an input.
  static func labels(of outputs: Outputs) -> [SimulationLabel] {
    var labels: [SimulationLabel] = []
    outputs.forEach { item in
      switch item {
      case .messageDeleted: labels.append(.event(.messageDeleted))
      case .receiptAdded(let added):
        labels.append(.event(added.kind == .read ? .messagesRead : .messagesDelivered))
      case .announcement(let announcement):
        let isRead = announcement.kind == .read
        labels.append(.event(isRead ? .messagesReadByAll : .messagesDeliveredToAll))
        labels.append(.cause(announcement.cause))
      case .response: labels.append(.event(.readReceiptResponse))
      case .unreadChanged: labels.append(.event(.unreadChanged))
      case .threadUpdated: labels.append(.event(.threadUpdated))
      case .status(let status):
        if status.tracking != .on { labels.append(.untracked(status.tracking)) }
      case .rejected: break
      }
    }
    return labels
  }
}
