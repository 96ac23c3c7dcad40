"""What goes wrong in a run, and when: drawn from a seed before anything has begun."""

import random
from dataclasses import dataclass

WORKERS = 3

# The kill points, as `killpoints.c` numbers them.
POINTS = {
    1: "after a poll, before producing",
    2: "after producing, before delivery",
    3: "after delivery, before the offsets",
    4: "after the offsets are sent",
    5: "in the commit, before it leaves",
    6: "after it is taken, before the answer",
    7: "after the answer, before the next",
    8: "in a restore",
}
# How many passes of a point may come before the one that kills: the records and commits of some
# seconds; a restore can be one poll.
LAST_PASS = {1: 60, 2: 1000, 3: 12, 4: 12, 5: 12, 6: 12, 7: 12, 8: 1}


@dataclass(frozen=True)
class Kind:
    """One kind of fault."""

    who: str
    what: str
    # How often, among a hundred.
    weight: float
    # For how long the victim is away or stands still, in seconds.
    hold: tuple
    point: int = 0

    @property
    def name(self):
        return f"{self.who} {self.what}"


# A transaction times out after 5 s and a little, a session after 6 s, as `pool.py` sets them.
STOP_BROKER = Kind("broker", "SIGSTOP", 4, (1, 9))
KINDS = [
    Kind("worker", "SIGKILL", 14, (0, 3)),
    Kind("worker", "SIGTERM", 15, (0, 1)),
    Kind("worker", "SIGSTOP, beyond its transaction", 6, (5.2, 5.9)),
    Kind("worker", "SIGSTOP, beyond its session", 6, (6.5, 8)),
    Kind("worker", "SIGSTOP, beyond one after the other", 6, (12, 15)),
    Kind("broker", "SIGKILL", 4, (0, 3)),
    Kind("broker", "SIGTERM", 3, (0, 2)),
    STOP_BROKER,
    *(Kind("worker", f"killed {text}", 4, (0, 2), point) for point, text in POINTS.items()),
    *(Kind("broker", f"killed {text}", 0.5, (0, 2), point) for point, text in POINTS.items()),
]


@dataclass(frozen=True)
class Clock:
    """What the inputs' records have as their times: the broker's clock; or one of their own that is
    minutes behind, or without any order, or odd: some have no time, too, and some are ahead."""

    kind: str
    # In milliseconds: how far it is behind, and how much further a single record can be.
    behind: int = 0
    jitter: int = 0


# How a chat backend's transaction can end.
OUTCOMES = ["committed", "aborted", "killed"]
CLOCKS = ["broker", "behind", "shuffled", "odd"]


@dataclass(frozen=True)
class Upstream:
    """A transaction of a chat backend's that stays open for long."""

    seed: int
    # In seconds: how long before it nobody writes in transactions, and how long it stays open; one
    # whose producer is killed is ended by the broker, after its timeout.
    pause: float
    hold: float
    timeout: float
    outcome: str
    partition: int
    # Whether it pins receipts and deletes, too.
    receipts: bool


@dataclass
class Fault:
    """One fault of a plan."""

    at: float
    kind: Kind
    worker: int
    node: int
    hold: float
    # For how long a victim that is back is left alone.
    rest: float
    # Kill points: at which pass.
    turn: int = 0


class Plan:
    """The faults of a run, by their instants, and the fourth worker's comings and goings."""

    # More are planned than asked for: one that finds no victim free comes late, or never.
    SURPLUS, LEAST_SURPLUS = 1.25, 6
    # Nothing goes wrong before there is anything to lose, nor in the last moment.
    FIRST, LAST = 4.0, 4.0
    # Who is back mostly gets to work before the next fault comes: a broker serves a pool that has
    # to find it again.
    HASTE, REST = 0.25, {"worker": (0.3, 1.5), "broker": (4, 8)}

    # How long upstream transactions stay open, against the pool's grace.
    OPEN = (2.5, 4.5)

    def __init__(self, seed, wanted, duration, nodes, is_delicate, clock=None):
        """`is_delicate`: the broker must not be stopped for more than an instant. `clock`: what
        kind of clock it is to be."""
        chance = random.Random(seed)
        count = int(max(wanted * self.SURPLUS, wanted + self.LEAST_SURPLUS))
        # One of each comes first, for the sake of what has to be tried again, the frequent ones
        # before the others in a short run; only then chance.
        kinds = sorted(KINDS, key=lambda kind: -chance.random() ** (1 / kind.weight))[:count]
        kinds += chance.choices(KINDS, [kind.weight for kind in KINDS], k=count - len(kinds))
        # A short run has no room for one of each.
        self.is_long = count >= 2 * len(KINDS)
        instants = sorted(chance.uniform(self.FIRST, duration - self.LAST) for _ in kinds)
        self.faults = [
            Fault(at, kind, chance.randrange(WORKERS), 1 + chance.randrange(nodes),
                  chance.uniform(*kind.hold) / (30 if is_delicate and kind is STOP_BROKER else 1),
                  0 if chance.random() < self.HASTE else chance.uniform(*self.REST[kind.who]),
                  chance.randint(1, LAST_PASS[kind.point]) if kind.point else 0)
            for at, kind in zip(instants, kinds)]
        self.load_seed = chance.randrange(1_000_000_000)
        self.guest = random.Random(f"{seed} guest")
        self.stranger = random.Random(f"{seed} stranger")
        self.backend = random.Random(f"{seed} backend")
        self.clock = self.draw_clock(random.Random(f"{seed} clock"), clock)

    @staticmethod
    def draw_clock(chance, kind):
        # An odd one only where it is asked for: a record that is ahead of the clock holds back what
        # comes behind it in its topic, and how far is for the judge to guess.
        kind = kind or chance.choice(["broker", "broker", "behind", "shuffled"])
        if kind == "broker":
            return Clock(kind)
        behind = chance.randint(180_000, 1_200_000) if kind == "behind" else 0
        # The last is more than the grace: then the order between the topics decides what waits in
        # vain.
        return Clock(kind, behind, chance.choice([200, 3000, 20_000]))

    def guest_pauses(self):
        """How long the fourth worker stays, and how long it is away then."""
        return self.guest.uniform(2.5, 6), self.guest.uniform(1, 4)

    def stranger_pause(self):
        """How long until the next worker of another group is started."""
        return self.stranger.uniform(6, 24)

    def upstream(self, grace, partitions):
        """The next transaction of a chat backend's."""
        chance = self.backend
        outcome = chance.choice(["committed", "committed", "aborted", "killed"])
        hold = grace * chance.uniform(*self.OPEN)
        timeout = hold if outcome == "killed" else hold + 60
        return Upstream(
            seed=chance.randrange(1_000_000), pause=chance.uniform(1, 5),
            hold=chance.uniform(0, hold / 2) if outcome == "killed" else hold,
            timeout=timeout, outcome=outcome, partition=chance.randrange(partitions),
            receipts=chance.random() < 0.2)
