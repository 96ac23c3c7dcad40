"""A chat backend that writes in transactions, as a stream job does: started by `ops/chaos`.

It takes one JSON object, a plan's `Upstream` with where the broker is, makes a group, opens a
transaction with messages, memberships, a delete and a receipt in it, and leaves it open, while
devices tell what they have read of it and write behind it. Then it commits or aborts, or waits to
be killed. It says on standard output, line by line, how far it is.
"""

import json
import random
import sys
import time

from confluent_kafka import KafkaException
from records import Group, Writer, again

# In a conversation without any order among its times, how many records have none at all, and how
# many are ahead of the clock, by how many milliseconds: by more than any run takes, so that they
# are ahead of the judge's, too.
ABSENT, AHEAD, DISTANCE = 0.2, 0.2, (86_400_000, 30 * 86_400_000)


class Clock:
    """Gives records their times, as the run's topics take them."""

    def __init__(self, kind, behind, jitter, chance):
        self.kind = kind
        self.behind = behind
        self.jitter = jitter
        self.chance = chance

    def stamp(self):
        if self.kind == "broker":
            return 0
        draw = self.chance.random()
        if self.kind == "shuffled" and draw < ABSENT:
            return -1
        time_now = int(time.time() * 1000) - self.behind
        if self.kind == "shuffled" and draw < ABSENT + AHEAD:
            return time_now + self.chance.randint(*DISTANCE)
        return time_now - self.chance.randint(0, self.jitter)


def end(producer, outcome):
    """Ends the transaction, and says how it ended: a broker that was away for long can have ended
    it itself."""
    try:
        if outcome == "committed":
            again(producer.commit_transaction)
            return outcome
    except KafkaException as error:
        if not error.args[0].txn_requires_abort():
            return f"given up: {error}"
    again(producer.abort_transaction)
    return "aborted"


def main():
    plan = json.loads(sys.argv[1])
    chance = random.Random(plan["seed"])
    clock = Clock(plan["clock"], plan["behind"], plan["jitter"], chance)
    partition = plan["partition"]
    group = Group.in_partition(
        partition, plan["partitions"], f"upstream-{plan['seed']}", ["ann", "bob", "cyd"])
    devices = Writer(plan["bootstrap"], plan["prefix"])
    backend = Writer(plan["bootstrap"], plan["prefix"], f"backend-{plan['seed']}", plan["timeout"])

    def write(writer, record):
        writer.write(group, partition, record, clock.stamp())
        return record[1].get("id")

    write(devices, group.roster())
    first = write(devices, group.message("ann"))
    write(devices, group.read("bob", first))
    devices.flush()
    again(backend.producer.init_transactions)
    backend.producer.begin_transaction()
    inside = []
    for turn in range(chance.randint(3, 12)):
        if turn == 2:
            write(backend, group.membership("added", ["dan"]))
        inside.append(write(backend, group.message(chance.choice(group.members))))
    if plan["receipts"]:
        write(backend, group.read("cyd", first))
        write(backend, group.delete("ann", first))
    backend.flush()
    print("open", flush=True)
    # What does not know of the transaction goes on behind it.
    behind = write(devices, group.message("bob"))
    for uid in ("ann", "bob", "cyd"):
        write(devices, group.read(uid, inside[len(inside) // 2]))
    write(devices, group.delete("ann", inside[0]))
    for uid in ("ann", "cyd", "dan"):
        write(devices, group.read(uid, behind))
    devices.flush()
    time.sleep(plan["hold"])
    if plan["outcome"] == "killed":
        # Its end is the caller's work.
        print("waiting", flush=True)
        time.sleep(600)
    print(end(backend.producer, plan["outcome"]), flush=True)


if __name__ == "__main__":
    main()
