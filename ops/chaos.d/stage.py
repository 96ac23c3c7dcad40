"""A pool with topics of its own, in which a mishap happens."""

import json
import re
import subprocess
import time
from collections import Counter

from confluent_kafka import (Consumer, ConsumerGroupTopicPartitions, KafkaError, KafkaException,
                             TopicPartition)
from confluent_kafka.admin import NewPartitions, NewTopic, OffsetSpec
from pool import Misbehaved, Worker, connection, worker_command
from records import INPUTS, Group, Writer, again

OUTPUTS = ["chat.events", "chat.actions", "chat.status", "chat.rejected"]
STATE = "rollcall.state"
PARTITIONS = 3
# What a pool does without being asked again takes so long at most.
PATIENCE = 30
# What `rollcall` ends with.
FAULTY, UNDECIDED, CONFIGURATION = 1, 75, 78


class Stage:
    """One pool. Ann writes and Bob reads in a group in each partition; each message of hers has to
    be announced, once."""

    def __init__(self, reaper, kafka, program, folder, name):
        self.reaper = reaper
        self.kafka = kafka
        self.program = program
        self.folder = folder
        self.prefix = name + "."
        self.group = name + "-pool"
        self.workers = []
        # Error lines that the act has asked for.
        self.expected_errors = []
        self.writer = Writer(kafka.bootstrap, self.prefix)
        # Of each partition's group: which messages Bob has read, and how often each was announced.
        self.read = set()
        self.announced = Counter()
        self.rejected = []
        folder.mkdir()

    # Topics

    def topic(self, name):
        return self.prefix + name

    def prepare(self, partitions=PARTITIONS, timestamp=lambda: 0):
        """`timestamp`: what records carry; 0 stands for the broker's clock."""
        self.timestamp = timestamp
        self.apply(partitions)
        if timestamp():
            self.kafka.use_producers_clock(self.prefix)
        self.groups = [
            Group.in_partition(number, partitions, f"talk-{number}", ["ann", "bob"])
            for number in range(partitions)]
        for number, group in enumerate(self.groups):
            self.write(number, group.roster())
        self.writer.flush()
        self.listen()

    def listen(self):
        """Reads events and rejections from their beginning."""
        self.reader = Consumer({
            "bootstrap.servers": self.kafka.bootstrap, "group.id": self.group + "-reader",
            "enable.auto.commit": False, "isolation.level": "read_committed", "log_level": 0,
            "fetch.wait.max.ms": 100})
        self.reader.assign([
            TopicPartition(self.topic(name), number, 0)
            for name in ("chat.events", "chat.rejected") for number in range(PARTITIONS)])

    def apply(self, partitions=PARTITIONS):
        self.must("topics", "apply", "--partitions", str(partitions))

    def delete(self, name):
        """Deletes a topic, and waits until it is gone."""
        self.wait_for(self.kafka.admin.delete_topics([self.topic(name)]))
        self.await_(f"{name} is gone",
                    lambda: self.topic(name) not in self.kafka.admin.list_topics(timeout=10).topics)

    def make_anew(self, name, pause=0):
        """Deletes a topic and creates it again, as fast as the broker lets it, or after a pause."""
        topic = NewTopic(self.topic(name), PARTITIONS, 1,
                         config={"message.timestamp.type": "LogAppendTime"})
        self.wait_for(self.kafka.admin.delete_topics([topic.topic]))
        time.sleep(pause)
        while True:
            try:
                self.wait_for(self.kafka.admin.create_topics([topic]))
                return
            except KafkaException as error:
                if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                    raise

    def add_partitions(self, names, count):
        self.wait_for(self.kafka.admin.create_partitions(
            [NewPartitions(self.topic(name), count) for name in names]))

    def cut(self, name, partition, offset, seconds=0):
        """Deletes a partition's records below an offset. A topic whose cleanup policy has just been
        changed may refuse it for some seconds."""
        limit = time.monotonic() + seconds
        while True:
            try:
                self.wait_for(self.kafka.admin.delete_records(
                    [TopicPartition(self.topic(name), partition, offset)]))
                return
            except KafkaException:
                if time.monotonic() > limit:
                    raise
                time.sleep(0.2)

    def move_offset(self, name, partition, offset):
        """Sets an offset of the group, which has no members."""
        self.wait_for(self.kafka.admin.alter_consumer_group_offsets([
            ConsumerGroupTopicPartitions(
                self.group, [TopicPartition(self.topic(name), partition, offset)])]))

    def forget_group(self):
        """Deletes the group, and with it what it has committed."""
        self.wait_for(self.kafka.admin.delete_consumer_groups([self.group]))

    def configure(self, name, setting, value):
        self.kafka.configure([self.topic(name)], {setting: value})

    def offsets(self, name, partition):
        """A partition's beginning and end."""
        place = TopicPartition(self.topic(name), partition)
        return [again(lambda: next(iter(
                    self.kafka.admin.list_offsets({place: one}).values())).result().offset)
                for one in (OffsetSpec.earliest(), OffsetSpec.latest())]

    def await_no_members(self):
        """Until the pool's group is empty: a static member that has ended stays for its session."""
        def members():
            described = self.kafka.admin.describe_consumer_groups([self.group])
            return described[self.group].result().members
        self.await_("the pool has no members", lambda: not members())

    def await_applied(self):
        """Until the pool's positions are the ends of its inputs."""
        ends = {(name, number): self.offsets(name, number)[1]
                for name in INPUTS for number in range(PARTITIONS)}

        def done():
            asked = self.kafka.admin.list_consumer_group_offsets(
                [ConsumerGroupTopicPartitions(self.group)])[self.group].result()
            found = {(one.topic.removeprefix(self.prefix), one.partition): one.offset
                     for one in asked.topic_partitions}
            return all(found.get(place, 0) >= end for place, end in ends.items())
        self.await_("all is applied", done)

    @staticmethod
    def wait_for(futures):
        for future in futures.values():
            future.result()

    # Programs

    def run(self, verb, *arguments, group=None, seconds=120):
        """Runs a command to its end; returns its exit status and all that it said."""
        own = [] if group is None else ["--group", group]
        process = self.reaper.start(
            [self.program, verb, *connection(self.kafka.bootstrap, self.prefix), *own, *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            text, _ = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            raise Misbehaved(f"{verb} {arguments} did not end in {seconds} s") from None
        self.reaper.forget(process)
        return process.returncode, text

    def must(self, verb, *arguments, **options):
        code, text = self.run(verb, *arguments, **options)
        if code:
            raise Misbehaved(f"{verb} {arguments} ended with {code}: {text}")
        return text

    def worker(self, name="1", *options, group=None):
        """A worker of this pool, or of another group; it is started. The same name again stands for
        the same instance."""
        command = worker_command(
            self.program, self.kafka.bootstrap, group or self.group, self.prefix)
        worker = Worker(self.reaper, command, name, self.folder, options)
        # One log an instance; this one looks at its own lines only.
        worker.log = self.folder / f"worker-{name}-{len(self.workers)}.log"
        self.workers.append(worker)
        worker.start()
        return worker

    def stop(self, worker, code=0):
        ended = worker.terminate()
        if ended != code:
            raise Misbehaved(f"worker {worker.name} ended with {ended}: {worker.last_error()}")

    def tolerate(self, worker):
        """Ends a worker that may have said or done what it liked."""
        if not worker.has_ended():
            worker.terminate()
        self.expected_errors += [re.escape(line["message"]) for line in worker.lines()
                                 if line.get("level") == "error"]

    def expect_end(self, worker, code, *words, seconds=PATIENCE):
        """It ends by itself, and its last error has all these words."""
        self.await_(f"worker {worker.name} ends", worker.has_ended, seconds)
        self.reaper.forget(worker.process)
        error = json.dumps(worker.last_error())
        missing = [word for word in words if word not in error]
        if worker.process.returncode != code or missing:
            raise Misbehaved(
                f"worker {worker.name} ended with {worker.process.returncode}, not {code}, and "
                f"said {error}" + (f", nothing of {missing}" if missing else ""))
        self.expected_errors.append(re.escape(str(worker.last_error().get("message"))))

    def expect_line(self, worker, *words, seconds=PATIENCE, **fields):
        """It logs a line with all these words in it and these fields, each a pattern. Returns the
        first one."""
        def lines():
            return [line for line in worker.lines()
                    if all(word in json.dumps(line) for word in words)
                    and all(re.search(str(pattern), str(line.get(name)))
                            for name, pattern in fields.items())]
        self.await_(f"worker {worker.name} logs {words} {fields}", lines, seconds)
        found = lines()[0]
        if found.get("level") == "error":
            self.expected_errors.append(re.escape(found["message"]))
        return found

    def expect_stopped(self, worker, reason, partitions, *words):
        """It stops these partitions, tells why, and goes on."""
        for number in partitions:
            self.expect_line(worker, *words, message="partition stopped",
                             partition=f"^{number}$", reason=reason)
        others = [line["partition"] for line in worker.lines()
                  if line.get("message") == "partition stopped"
                  and line["partition"] not in partitions]
        if others or worker.has_ended():
            raise Misbehaved(f"partitions {others} stopped, too, or worker {worker.name} ended "
                             f"({worker.process.poll()})")

    # Talk

    def write(self, number, record, writer=None):
        """Writes a record of a partition's group."""
        (writer or self.writer).write(self.groups[number], number, record, self.timestamp())

    def note_read(self, number):
        """Bob reads, or has read, the newest message."""
        group = self.groups[number]
        self.read.add((group.key, group.newest))
        return group.read("bob", group.newest)

    def talk(self, turns=1):
        for number, group in enumerate(self.groups):
            for _ in range(turns):
                self.write(number, group.message("ann"))
                self.write(number, self.note_read(number))
        self.writer.flush()

    def hear(self):
        """Takes in what was announced and rejected since."""
        while batch := self.reader.consume(500, 0.2):
            for record in batch:
                if record.error():
                    raise KafkaException(record.error())
                if record.topic() == self.topic("chat.rejected"):
                    self.rejected.append(dict(record.headers()))
                    continue
                event = json.loads(record.value())
                if event["event"] == "messagesReadByAll":
                    self.announced.update(
                        (event["conversationId"], one) for one in event["receipt"]["messageIds"])

    def await_announced(self, partitions=None, seconds=PATIENCE):
        """Until all that was read in these partitions is announced."""
        keys = {group.key for number, group in enumerate(self.groups)
                if partitions is None or number in partitions}
        wanted = {one for one in self.read if one[0] in keys}

        def done():
            self.hear()
            return wanted <= self.announced.keys()
        try:
            self.await_(f"{len(wanted)} messages are announced", done, seconds)
        except Misbehaved as error:
            missing = sorted(wanted - self.announced.keys())
            raise Misbehaved(f"{error}; missing: {missing[:5]}, {len(missing)} in all") from None

    def expect_silence(self, partitions):
        """Nothing more has been announced in these partitions than was known."""
        before = dict(self.announced)
        self.hear()
        keys = {self.groups[number].key for number in partitions}
        new = [one for one in self.announced if one not in before and one[0] in keys]
        if new:
            raise Misbehaved(f"announced all the same: {new}")

    def work(self, turns=1):
        """Says something in each partition, and waits for what comes of it."""
        self.talk(turns)
        self.await_announced()

    # The end

    def finish(self):
        """Ends the pool. Nothing was doubled or rejected, and no error came unexpected."""
        for worker in self.workers:
            if not worker.has_ended():
                self.stop(worker)
        self.hear()
        if doubled := {one: count for one, count in self.announced.items() if count > 1}:
            raise Misbehaved(f"announced more than once: {doubled}")
        if self.rejected:
            raise Misbehaved(f"{len(self.rejected)} records were rejected: {self.rejected[0]}")
        for worker in self.workers:
            for line in worker.lines():
                if line.get("level") == "error" and not any(
                        re.fullmatch(one, line["message"]) for one in self.expected_errors):
                    raise Misbehaved(f"worker {worker.name} has logged {line}")

    def verify(self, *options, code=0, words=(), group=None, wait="30s"):
        """What `rollcall verify` says: how it ends, and that it has all these words."""
        ended, text = self.run(
            "verify", "--wait", wait, *options, group=group or self.group)
        missing = [word for word in words if word not in text]
        if ended != code or missing:
            raise Misbehaved(f"verify ended with {ended}, not {code}, and said {text.strip()}"
                             + (f"; nothing of {missing}" if missing else ""))
        return text

    @staticmethod
    def await_(what, condition, seconds=PATIENCE):
        limit = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > limit:
                raise Misbehaved(f"not in {seconds} s: {what}")
            time.sleep(0.05)
