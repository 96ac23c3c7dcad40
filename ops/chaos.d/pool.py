"""The processes of a run: workers, Kafka's nodes, and who ends them when nobody else does."""

import contextlib
import functools
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path

from confluent_kafka.admin import (
    AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType)
from records import INPUTS

OPS = Path(__file__).resolve().parent.parent
# The pool's consumer group, and one that is none of its business.
GROUP, STRANGER = "chaos-pool", "stranger-pool"
PREFIX = "chaos."
# Short, so that much can outlive it.
GRACE = "5s"
# As short as Kafka's own limits allow, so that others take over soon.
TIMEOUTS = [
    "message.timeout.ms=4000", "transaction.timeout.ms=5000", "session.timeout.ms=6000",
    "heartbeat.interval.ms=500", "max.poll.interval.ms=20000", "socket.timeout.ms=4000"]
# A worker has this time to end well.
END_SECONDS = 10
BROKER_SECONDS = 120
# Versions of Kafka that forget how a transaction ended in a partition without a leader
# (KAFKA-20734; `Tests/KafkaTests/Consume/MarkerTests.swift` shows it).
FORGETFUL = ["4.4.0"]
# A lone node of such a version must never find its partitions without a leader while it works. So
# its session, in milliseconds, is over before it looks at them after a restart, and it is never
# silent for longer than that.
LONE_SESSION, LONE_HEARTBEAT = 600, 100


class Misbehaved(Exception):
    """Something did what it must not do."""


class Stopped(Exception):
    """The run is being ended: nothing may be started any more."""


class Reaper:
    """Starts processes, each the leader of a group of its own, and lets none outlive the run.

    A child of its own waits for the end of this process, however it ends, and kills the groups that
    are left, with the broker.
    """

    def __init__(self, broker):
        self.lock = threading.Lock()
        self.ended = False
        reading, self.writing = os.pipe()
        self.child = os.fork()
        if self.child:
            os.close(reading)
            return
        os.close(self.writing)
        self.wait_and_kill(reading, broker)

    @staticmethod
    def wait_and_kill(reading, broker):
        os.setsid()
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        groups = set()
        with os.fdopen(reading) as lines:
            for line in lines:
                group = int(line[1:])
                (groups.add if line[0] == "+" else groups.discard)(group)
        for group in groups:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(group, signal.SIGKILL)
        if (Path(broker) / "broker.json").exists():
            subprocess.run([OPS / "broker", "kill", broker], check=False)
        os._exit(0)

    def start(self, command, **options):
        with self.lock:
            if self.ended:
                raise Stopped
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, start_new_session=True, **options)
            os.write(self.writing, b"+%d\n" % process.pid)
            return process

    def forget(self, process):
        """Its process id may be another's from now on."""
        with self.lock:
            if not self.ended:
                os.write(self.writing, b"-%d\n" % process.pid)

    def run(self, command, seconds, **options):
        """Runs a command to its end and returns what it printed."""
        process = self.start(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
        try:
            output, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise Misbehaved(f"{command[:3]} did not end in {seconds} s") from None
        self.forget(process)
        if process.returncode:
            raise Misbehaved(f"{command[:3]} ended with {process.returncode}: {errors or output}")
        return output

    def end(self):
        """Kills what is left, and waits until it is gone."""
        with self.lock:
            if self.ended:
                return
            self.ended = True
            os.close(self.writing)
        os.waitpid(self.child, 0)


class Worker:
    """One worker over all its restarts. Whoever does something to it holds `busy`."""

    def __init__(self, reaper, command, name, folder, options=()):
        self.reaper = reaper
        self.name = name
        self.command = [*command, "--instance-id", name, *options]
        self.log = folder / f"worker-{name}.log"
        self.busy = threading.Lock()
        self.process = None
        self.starts = 0
        self.started = 0.0
        # Lines of its log that say why it ended, and that were looked at.
        self.explained = []

    def start(self, surroundings=None):
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith("ROLLCALL_")}
        with self.log.open("ab") as log:
            self.process = self.reaper.start(
                self.command, stdout=log, stderr=log, env=clean | (surroundings or {}))
        self.starts += 1
        self.started = time.monotonic()

    def has_ended(self):
        return self.process.poll() is not None

    def send(self, number):
        self.process.send_signal(number)

    def pause(self):
        """Returns when it stands still."""
        self.send(signal.SIGSTOP)
        os.waitid(os.P_PID, self.process.pid, os.WSTOPPED)

    def resume(self):
        self.send(signal.SIGCONT)

    def kill(self):
        self.send(signal.SIGKILL)
        self.process.wait()
        self.reaper.forget(self.process)

    def terminate(self):
        """SIGTERM. Returns what it ended with, in time."""
        self.await_signals()
        self.send(signal.SIGTERM)
        try:
            code = self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            raise Misbehaved(
                f"worker {self.name} did not end in {END_SECONDS} s after SIGTERM") from None
        self.reaper.forget(self.process)
        return code

    def await_signals(self):
        """Waits until it takes its signals itself: it blocks them for a thread that waits for them.
        Before, any process dies of SIGTERM."""
        status = Path(f"/proc/{self.process.pid}/status")
        while not self.has_ended():
            blocked = status.read_text().partition("SigBlk:")[2].split()[0]
            if int(blocked, 16) >> (signal.SIGTERM - 1) & 1:
                return
            time.sleep(0.01)

    def lines(self):
        """What it has logged, line by line."""
        if not self.starts:
            return
        for line in self.log.read_text(errors="replace").splitlines():
            if line.startswith("{"):
                # A killed worker may leave half a line.
                with contextlib.suppress(ValueError):
                    yield json.loads(line)

    def has_logged(self, message):
        return any(line.get("message") == message for line in self.lines())

    def last_error(self):
        return next((line for line in reversed(list(self.lines()))
                     if line.get("level") == "error"), {})


class Kafka:
    """The broker. Whoever does something to a node holds `busy`: one at a time is away."""

    def __init__(self, reaper, folder, nodes):
        self.reaper = reaper
        self.folder = folder
        self.nodes = nodes
        self.busy = threading.Lock()
        self.back = 0.0
        session = []
        if is_delicate(nodes):
            session = ["--set", f"broker.session.timeout.ms={LONE_SESSION}",
                       "--set", f"broker.heartbeat.interval.ms={LONE_HEARTBEAT}"]
        self.bootstrap = self.do("start", "--nodes", str(nodes), *session).strip()

    def do(self, verb, *arguments):
        return self.reaper.run(
            [OPS / "broker", verb, self.folder, *arguments], BROKER_SECONDS, cwd=OPS.parent,
            # A node lives for seconds: what it gains by compiling well it has no time to spend, and
            # it comes back in half the time without.
            env=os.environ | {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"})

    @functools.cached_property
    def admin(self):
        """What Kafka's own tools do, without their time to start."""
        return AdminClient({"bootstrap.servers": self.bootstrap, "log_level": 0})

    def use_producers_clock(self, prefix):
        """The inputs' records carry the times of their producers, whatever these are."""
        self.configure([prefix + name for name in INPUTS], {
            "message.timestamp.type": "CreateTime",
            "message.timestamp.after.max.ms": str(2**63 - 1)})

    def configure(self, topics, settings):
        """Sets settings of topics."""
        changes = [ConfigEntry(name, value, incremental_operation=AlterConfigOpType.SET)
                   for name, value in settings.items()]
        named = [ConfigResource(ResourceType.TOPIC, topic) for topic in topics]
        for future in self.admin.incremental_alter_configs(
                [ConfigResource(ResourceType.TOPIC, topic, incremental_configs=changes)
                 for topic in topics]).values():
            future.result()
        # The broker tells others of it a moment later.
        while any(future.result()[name].value != value
                  for future in self.admin.describe_configs(named).values()
                  for name, value in settings.items()):
            time.sleep(0.02)

    def send(self, number, node):
        """A signal, at this very moment."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.pid(node), number)

    @contextlib.contextmanager
    def away(self):
        """While this lasts a node is not there."""
        self.back = float("inf")
        yield
        self.back = time.monotonic()

    def is_whole(self):
        """Whether each copy of each partition is up to date, as the first node to answer says."""
        for node in range(1, self.nodes + 1):
            with contextlib.suppress(OSError, struct.error):
                return all(replicas == in_sync for replicas, in_sync in copies(self.port(node)))
        return False

    def await_topics(self, partitions):
        """Waits until each node knows so many partitions: a worker may ask any of them."""
        for node in range(1, self.nodes + 1):
            while len(list(copies(self.port(node)))) < partitions:
                time.sleep(0.1)

    def addresses(self, first):
        """`port:pid,…` of the nodes, that one first."""
        order = [first, *(node for node in range(1, self.nodes + 1) if node != first)]
        return ",".join(f"{self.port(node)}:{self.pid(node)}" for node in order)

    def port(self, node):
        """Each node has two: for clients and for the controllers."""
        base = json.loads((self.folder / "broker.json").read_text())["port"]
        return base + 2 * (node - 1)

    def pid(self, node):
        return int((self.folder / f"node{node}" / "pid").read_text().split()[0])

    def node_of(self, pid):
        return next(node for node in range(1, self.nodes + 1) if self.pid(node) == pid)

    def data(self):
        """The data folder of a node: each node has a copy of all."""
        return self.folder / "node1" / "data"


def is_delicate(nodes):
    """Whether the broker is a lone node that must not lose its leadership for a moment."""
    libraries = Path(os.environ["KAFKA_HOME"], "libs")
    return nodes == 1 and any(
        (libraries / f"kafka-clients-{version}.jar").exists() for version in FORGETFUL)


def copies(port):
    """Of each partition that the broker at a port knows: its replicas, and those in sync."""
    with socket.create_connection(("127.0.0.1", port), 1) as link:
        link.settimeout(5)
        # Api key 3 (Metadata), version 1, correlation 1, no client id, all topics.
        link.sendall(struct.pack(">ihhihi", 14, 3, 1, 1, -1, -1))
        reader = link.makefile("rb")
        data = reader.read(struct.unpack(">i", reader.read(4))[0])
    # After the correlation.
    place = 4

    def take(form):
        nonlocal place
        place += struct.calcsize(form)
        return struct.unpack_from(form, data, place - struct.calcsize(form))[0]

    def skip_string():
        nonlocal place
        length = take(">h")
        place += max(0, length)

    for _ in range(take(">i")):
        take(">i"), skip_string(), take(">i"), skip_string()
    # The controller's number.
    take(">i")
    for _ in range(take(">i")):
        # Error, name, whether it is internal.
        take(">h"), skip_string(), take(">b")
        for _ in range(take(">i")):
            # Error, number, leader.
            take(">h"), take(">i"), take(">i")
            yield tuple({take(">i") for _ in range(take(">i"))} for _ in range(2))


def worker_command(program, bootstrap, group=GROUP, prefix=PREFIX):
    return [program, "worker", *connection(bootstrap, prefix), "--group", group, "--grace", GRACE,
            # A dynamic member's partitions go to others when it is killed: more happens.
            "--static-membership", "false", "--commit-interval", "100ms",
            *(part for one in TIMEOUTS for part in ("--kafka", one))]


def connection(bootstrap, prefix=PREFIX):
    return ["--bootstrap-servers", bootstrap, "--topic-prefix", prefix]


def seconds(text):
    """The seconds of a duration such as `90s` or `10m`."""
    return float(text[:-1]) * {"s": 1, "m": 60, "h": 3600}[text[-1]]


def build(folder, name):
    """Builds a library of this folder for this machine: `clang` comes with Swift."""
    library = folder / f"{name}.so"
    source = Path(__file__).with_name(f"{name}.c")
    result = subprocess.run(
        [os.environ.get("CC", "clang"), "-shared", "-fPIC", "-O1", "-Wall", "-Wextra", "-Werror",
         "-o", library, source], stderr=subprocess.PIPE, text=True, check=False)
    if result.returncode:
        sys.exit(f"chaos: {source.name} does not build:\n{result.stderr}")
    return library
