"""Input records in the contract's form, and who writes them."""

import json
import time
import zlib

from confluent_kafka import KafkaError, KafkaException, Producer

INPUTS = MESSAGES, RECEIPTS, DELETES = "chat.messages", "chat.receipts", "chat.deletes"
# A partition that was just made may have no leader yet, which the client does not call a reason to
# try again.
WITHOUT_LEADER = {KafkaError.NOT_LEADER_FOR_PARTITION, KafkaError.LEADER_NOT_AVAILABLE}


class Group:
    """A group of a chat product. Ids count up as it is spoken in; each method makes one record."""

    def __init__(self, guid, members):
        self.guid = guid
        self.key = f"group_{guid}"
        self.members = list(members)
        self.newest = 0

    @classmethod
    def in_partition(cls, number, count, stem, members):
        """A group whose key lies where librdkafka's partitioner puts it: in that one of so many."""
        return next(group for turn in range(1_000_000)
                    if zlib.crc32((group := cls(f"{stem}-{turn}", members)).key.encode()) % count
                    == number)

    def fields(self, **own):
        return {"receiverId": self.guid, "receiverType": "group", **own}

    def next_id(self):
        self.newest += 1
        return self.newest

    def membership(self, action, uids):
        return MESSAGES, self.fields(
            id=self.next_id(), category="action", type="groupMember", action=action,
            actionBy={"uid": self.members[0]}, actionOn=[{"uid": uid} for uid in uids],
            sentAt=now())

    def roster(self):
        return self.membership("roster", self.members)

    def message(self, sender):
        return MESSAGES, self.fields(
            id=self.next_id(), category="message", type="text", sender={"uid": sender},
            sentAt=now(), text="…")

    def read(self, reader, message):
        return RECEIPTS, self.fields(
            receiptType="read", messageId=message, sender={"uid": reader}, readAt=now())

    def delete(self, remover, message):
        return DELETES, self.fields(
            messageId=message, deletedBy={"uid": remover}, deletedAt=now())


def now():
    """Whole seconds, as many clients tell them."""
    return int(time.time())


def again(action):
    """Does it as often as it takes: a broker or a leader that is away comes back."""
    while True:
        try:
            return action()
        except KafkaException as error:
            cause = error.args[0]
            if not cause.retriable() and cause.code() not in WITHOUT_LEADER:
                raise


class Writer:
    """Writes records, plainly or in transactions."""

    def __init__(self, bootstrap, prefix, transactional_id=None, timeout=60):
        """`timeout`: after so many seconds the broker ends a transaction itself."""
        own = {} if transactional_id is None else {
            "transactional.id": transactional_id,
            # Not before librdkafka has given up a record.
            "message.timeout.ms": int(timeout * 1000),
            "transaction.timeout.ms": int(timeout * 1000)}
        self.producer = Producer({
            "bootstrap.servers": bootstrap, "enable.idempotence": True, "linger.ms": 5,
            "log_level": 0, **own})
        self.prefix = prefix
        self.written = 0
        self.failed = []

    def write(self, group, partition, record, timestamp=0):
        """`timestamp`: in milliseconds; 0 is the clock's."""
        topic, value = record
        self.producer.produce(
            self.prefix + topic, json.dumps(value, ensure_ascii=False).encode(), group.key.encode(),
            partition=partition, timestamp=timestamp, on_delivery=self.note)

    def note(self, error, _):
        if error is None:
            self.written += 1
        else:
            self.failed.append(error)

    def flush(self, seconds=60):
        """Waits until the broker has it all."""
        left = self.producer.flush(seconds)
        if left or self.failed:
            why = self.failed[0] if self.failed else KafkaError(KafkaError._MSG_TIMED_OUT)
            raise KafkaException(why)
