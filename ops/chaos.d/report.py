"""The table at the end of a run."""

import segments
from plan import KINDS, OUTCOMES, POINTS
from pool import GROUP, PREFIX
from records import INPUTS

OUTPUTS = ["chat.events", "chat.actions", "chat.status", "chat.rejected"]


def of_faults(done):
    """How often each kind of fault was injected."""
    lines = [f"faults injected {sum(done.values()):>27}"]
    lines += [f"  {kind.name:<36} {done[kind]:>4}" for kind in KINDS if not kind.point]
    lines.append(f"  {'kill points':<36} worker broker")
    for point, text in POINTS.items():
        of_worker, of_broker = (
            next(done[kind] for kind in KINDS if kind.point == point and kind.who == who)
            for who in ("worker", "broker"))
        lines.append(f"  {point} {text:<38} {of_worker:>2} {of_broker:>6}")
    return lines


def of_visitors(counts):
    """What became of upstream transactions and of workers of another group."""
    return [
        f"upstream transactions beyond the grace {sum(counts[how] for how in OUTCOMES):>4}",
        *(f"  {how:<36} {counts[how]:>4}" for how in OUTCOMES),
        f"workers of another group refused {counts['refused']:>10}"]


def hanging(data):
    """Transactions that never ended on a partition: the broker's fault, or that of who judges while
    somebody still works."""
    topics = [PREFIX + name for name in [*INPUTS, *OUTPUTS, "rollcall.state"]]
    for topic in [*topics, "__consumer_offsets"]:
        for one in segments.partitions(data, topic):
            if one.open:
                yield (f"{topic}/{one.number} has {one.open} records of a transaction that never "
                       "ended there")


def of_pool(workers, data, fed, end):
    """What became of the pool's work, by what the workers logged and by what is on the disk.

    `data` is a broker's data folder, `fed` how many records the load knows to be there, `end` when
    all was applied.
    """
    kept = taken = restored = records = failed = 0
    for worker in workers:
        for line in worker.lines():
            message = line.get("message")
            if message == "partitions taken":
                taken += len(line["partitions"])
                kept += len(line["kept"])
            elif message == "partition restored":
                restored += 1
                records += line["records"]
            elif message == "a transaction failed and is done again":
                failed += 1
    stored = sum(one.plain + one.committed
                 for topic in INPUTS for one in segments.partitions(data, PREFIX + topic))
    events = segments.partitions(data, PREFIX + "chat.events")
    outputs = [one for topic in OUTPUTS for one in segments.partitions(data, PREFIX + topic)]
    committed, aborted = sum(o.committed for o in outputs), sum(o.aborted for o in outputs)
    aborts = sum(one.aborts for one in segments.partitions(data, PREFIX + "rollcall.state"))
    widest = max(events, key=lambda one: segments.longest_gap(one.moments, end))
    gap = segments.longest_gap(widest.moments, end) / 1000
    overall = segments.longest_gap([m for one in events for m in one.moments], end) / 1000
    return [
        f"input records        {fed} fed, {stored} on the broker (those more came twice or from "
        "the backend)",
        f"longest gap          {overall:.1f} s without any new event for a read_committed reader; "
        f"{gap:.1f} s in one partition ({widest.number})",
        f"records redone       {aborted} of {committed + aborted} output records lay in aborted "
        f"transactions and were written again",
        f"aborted              {aborts} times a partition's part of a transaction; "
        f"{failed} failures that a worker lived to tell",
        f"rebalances           {segments.generation(data, GROUP)}; partitions taken {taken}, "
        f"{kept} of them kept in memory",
        f"restores             {restored} of a partition, {records} records of the changelog",
        "workers started      " + ", ".join(f"{w.name}: {w.starts}" for w in workers),
    ]
