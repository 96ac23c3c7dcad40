import Core

/// What comes out of workers, by the words that consumers see.
package enum SimulationEvent: String, CaseIterable, Sendable {
  case messagesDelivered, messagesRead, messagesDeliveredToAll, messagesReadByAll
  case readReceiptResponse, unreadChanged, threadUpdated, messageDeleted
}
