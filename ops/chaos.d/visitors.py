"""Who comes and goes beside the pool all the time: a fourth worker, a chat backend that leaves its
transactions open, and workers of another group, which the pool's topics have to be kept from."""

import dataclasses
import json
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from confluent_kafka import ConsumerGroupTopicPartitions
from plan import OUTCOMES
from pool import (
    GRACE, GROUP, PREFIX, STRANGER, Misbehaved, Worker, seconds, worker_command)

# A worker of another group has this time to see that it is one, a broker at hand.
REFUSAL_SECONDS = 15
CONFIGURATION = 78
VISITORS = ["guest", "backend", "stranger"]


class Visitors:
    """The visitors of one run."""

    def __init__(self, run, partitions):
        self.run = run
        self.partitions = partitions
        self.guest = Worker(
            run.reaper, worker_command(run.options.program, run.kafka.bootstrap), "guest",
            run.folder)
        self.stranger = Worker(
            run.reaper, worker_command(run.options.program, run.kafka.bootstrap, STRANGER),
            "stranger", run.folder)
        # What happened to them.
        self.counts = Counter()

    @property
    def all(self):
        """What each of them does until the faults are over."""
        every = {"guest": self.come_and_go, "backend": self.trade, "stranger": self.intrude}
        return [visit for name, visit in every.items() if name not in self.run.options.without]

    @property
    def workers(self):
        return [self.guest, self.stranger]

    def check(self):
        """What must not be, once all is applied."""
        left_out = self.run.options.without
        if "backend" not in left_out and not sum(self.counts[how] for how in OUTCOMES):
            yield "no transaction stayed open upstream"
        if "stranger" not in left_out:
            if not self.counts["refused"]:
                yield "no worker of another group was refused"
            if found := self.positions_of_stranger():
                yield f"the group {STRANGER} has committed positions, of {len(found)} partitions"

    # The fourth worker

    def come_and_go(self):
        """Added and removed every few seconds."""
        run = self.run
        while not run.over.is_set():
            stay, pause = run.plan.guest_pauses()
            self.guest.start()
            run.over.wait(stay)
            if self.guest.has_ended():
                run.explain_end(self.guest, starts=False)
            else:
                run.terminate(self.guest)
            run.over.wait(pause)

    # A chat backend

    def trade(self):
        """One transaction after the other; none is begun that would outlive the faults by far."""
        run = self.run
        while True:
            plan = run.plan.upstream(seconds(GRACE), self.partitions)
            if run.over.wait(plan.pause) or time.monotonic() + plan.hold > run.until:
                return
            self.carry_out(plan)

    def carry_out(self, plan):
        run, clock = self.run, self.run.plan.clock
        task = dataclasses.asdict(plan) | {
            "bootstrap": run.kafka.bootstrap, "prefix": PREFIX,
            "partitions": self.partitions, "clock": clock.kind, "behind": clock.behind,
            "jitter": clock.jitter}
        with open(run.folder / "backend.log", "ab") as log:
            process = run.reaper.start(
                [sys.executable, Path(__file__).with_name("backend.py"), json.dumps(task)],
                stdout=subprocess.PIPE, stderr=log, text=True)
        how = f"partition {plan.partition}, for {plan.hold:.1f} s"
        result = None
        for line in process.stdout:
            result = line.strip()
            if result == "open":
                run.tell("backend", f"a transaction is open, {how}, then {plan.outcome}")
            elif result == "waiting":
                process.kill()
                result = "killed"
        code = process.wait()
        run.reaper.forget(process)
        if code not in (0, -signal.SIGKILL) or result is None:
            raise Misbehaved(f"the backend ended with {code}, see backend.log")
        self.counts[result.partition(":")[0]] += 1
        if result != plan.outcome:
            run.tell("backend", f"its transaction was {result}")

    # Another group

    def intrude(self):
        """Workers of another group begin every now and then."""
        run = self.run
        while not run.over.wait(run.plan.stranger_pause()):
            self.stranger.start()
            limit = time.monotonic() + REFUSAL_SECONDS
            while not self.stranger.has_ended():
                # With no broker at hand it waits, as all workers do.
                if run.kafka.back == float("inf"):
                    limit = time.monotonic() + REFUSAL_SECONDS
                if time.monotonic() > limit:
                    self.stranger.kill()
                    raise Misbehaved("a worker of another group was not refused")
                time.sleep(0.05)
            self.look_at_refusal()

    def look_at_refusal(self):
        run, worker = self.run, self.stranger
        run.reaper.forget(worker.process)
        error = worker.last_error()
        code = worker.process.returncode
        told = json.dumps(error)
        if code != CONFIGURATION or GROUP not in told or STRANGER not in told:
            raise Misbehaved(f"a worker of another group ended with {code}: {error}")
        worker.explained.append(error)
        self.counts["refused"] += 1
        run.tell("stranger", f"a worker of the group {STRANGER} was refused")

    def positions_of_stranger(self):
        """What the other group has committed."""
        asked = self.run.kafka.admin.list_consumer_group_offsets(
            [ConsumerGroupTopicPartitions(STRANGER)])
        found = asked[STRANGER].result().topic_partitions
        return [one for one in found if one.offset >= 0]
