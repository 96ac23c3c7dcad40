"""Reads what Kafka has on disk: how its transactions ended, and when readers got to see them.

It looks at the batches' headers only, which say it all without any client, and so without trusting
the one under test. The folder of a partition is read as it lies; nobody may be writing to it.
"""

import mmap
import struct
from collections import defaultdict, deque
from pathlib import Path

# Base offset, length, leader's epoch, format, checksum, attributes, last offset's distance, base
# and last time, producer's id and epoch, first sequence number, records.
HEADER = struct.Struct(">qiibIhiqqqhii")
# The length does not count the base offset and itself.
BEFORE_LENGTH_COUNTS = 12
COMPRESSED, TRANSACTIONAL, CONTROL = 0x07, 0x10, 0x20
COMMIT = 1
GROUP_KEY_VERSION = 2


def batches(folder):
    """The batches of a partition in their order, each as the fields of its header and its records.

    A broker that was killed can leave the beginning of a batch behind, which does not count.
    """
    for segment in sorted(Path(folder).glob("*.log")):
        if segment.stat().st_size == 0:
            continue
        with segment.open("rb") as file, mmap.mmap(
                file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            place = 0
            while place + HEADER.size <= len(data):
                header = HEADER.unpack_from(data, place)
                end = place + BEFORE_LENGTH_COUNTS + header[1]
                if header[1] <= 0 or end > len(data):
                    break
                yield header, data[place + HEADER.size:end]
                place = end


class Partition:
    """What became of the records of one partition."""

    def __init__(self, folder):
        self.number = int(Path(folder).name.rpartition("-")[2])
        self.plain = self.committed = self.aborted = 0
        self.commits = self.aborts = 0
        # When something new could be seen with `read_committed`, in milliseconds of Unix time.
        self.moments = []
        # Transactional batches from the last stable offset on: [producer, records, outcome].
        waiting, open_by_producer = deque(), defaultdict(list)
        for header, records in batches(folder):
            attributes, time, producer, count = header[5], header[8], header[9], header[12]
            if attributes & CONTROL:
                committed = control_type(records) == COMMIT
                for batch in open_by_producer.pop(producer, []):
                    batch[2] = committed
                self.commits += committed
                self.aborts += not committed
            elif attributes & TRANSACTIONAL:
                batch = [producer, count, None]
                waiting.append(batch)
                open_by_producer[producer].append(batch)
            else:
                self.plain += count
            # An open transaction hides all that comes after it, too.
            seen = 0
            while waiting and waiting[0][2] is not None:
                _, records_in_batch, outcome = waiting.popleft()
                if outcome:
                    self.committed += records_in_batch
                    seen += records_in_batch
                else:
                    self.aborted += records_in_batch
            if seen:
                self.moments.append(time)
        self.open = sum(batch[1] for batch in waiting)


def partitions(data, topic):
    """All partitions of a topic in a broker's data folder."""
    folders = [path for path in Path(data).glob(f"{topic}-*")
               if path.name[len(topic) + 1:].isdigit()]
    return [Partition(path) for path in sorted(folders, key=lambda path: path.name)]


def longest_gap(moments, end):
    """The longest time without anything new until `end`, in milliseconds."""
    times = sorted(time for time in moments if time <= end)
    return max((later - earlier for earlier, later in zip(times, times[1:])), default=0)


def generation(data, group):
    """The number of a group's last generation: each rebalance begins one."""
    last = 0
    for folder in Path(data).glob("__consumer_offsets-*"):
        for header, records in batches(folder):
            if header[5] & (CONTROL | COMPRESSED):
                continue
            for key, value in keys_and_values(records, header[12]):
                if not key or not value or struct.unpack_from(">h", key)[0] != GROUP_KEY_VERSION:
                    continue
                if key[4:] == group.encode():
                    # Version, the protocol's type as a string, generation.
                    length = struct.unpack_from(">h", value, 2)[0]
                    last = max(last, struct.unpack_from(">i", value, 4 + length)[0])
    return last


def control_type(records):
    """What a control batch says: its one record's key is a version and a type."""
    key, _ = next(keys_and_values(records, 1))
    return struct.unpack_from(">h", key, 2)[0]


def keys_and_values(records, count):
    """Key and value of each record of an uncompressed batch; None where there is none."""
    place = 0
    for _ in range(count):
        length, place = varint(records, place)
        end = place + length
        # One byte of attributes, then the distances of time and offset.
        _, place = varint(records, place + 1)
        _, place = varint(records, place)
        pair = []
        for _ in range(2):
            size, place = varint(records, place)
            pair.append(records[place:place + size] if size >= 0 else None)
            place += max(0, size)
        yield pair
        place = end


def varint(data, place):
    """A number of variable length in zigzag form, and where it ends."""
    number = shift = 0
    while True:
        byte = data[place]
        place += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number >> 1 ^ -(number & 1), place
        shift += 7
