"""What operators do to a pool and its topics, and what has to be seen of it.

Each act has a stage of its own. Its first line is what it shows.
"""

import time

from pool import GRACE, Misbehaved
from records import INPUTS, MESSAGES, RECEIPTS, Group, Writer
from stage import CONFIGURATION, FAULTY, OUTPUTS, PARTITIONS, STATE, UNDECIDED

# A worker looks at its topics once a minute.
LOOK_SECONDS = 75
MORE = PARTITIONS + 2
# Of a worker that stands still, within its session.
PAUSE_SECONDS = 2
# Until a worker has asked what it knows a new input by.
KNOWN_SECONDS = 3


def partitions_added(stage, names):
    stage.prepare()
    workers = [stage.worker("1"), stage.worker("2")]
    stage.work(5)
    stage.add_partitions(names, MORE)
    stage.await_("the partitions are there", lambda: all(
        len(stage.kafka.admin.list_topics(stage.topic(name), 10).topics[stage.topic(name)]
            .partitions) == MORE for name in names))
    # Who begins to write now knows them at once.
    writer = Writer(stage.kafka.bootstrap, stage.prefix)
    for number in range(PARTITIONS, MORE):
        group = Group(f"new-{number}", ["ann", "bob"])
        for record in (group.roster(), group.message("ann"), group.read("bob", 2)):
            if record[0] in names:
                writer.write(group, number, record)
    writer.flush()
    for worker in workers:
        stage.expect_end(worker, CONFIGURATION, *(stage.topic(name) for name in names),
                         str(PARTITIONS), str(MORE), seconds=LOOK_SECONDS)
    for name in [*OUTPUTS, STATE]:
        if name in names and any(stage.offsets(name, number)[1]
                                 for number in range(PARTITIONS, MORE)):
            raise Misbehaved(f"something was written to a new partition of {name}")
    stage.expect_end(stage.worker("1"), CONFIGURATION, str(MORE))
    stage.finish()


def all_partitions_added(stage):
    """partitions are added to all topics of a running pool: its workers end with 78"""
    partitions_added(stage, [*INPUTS, *OUTPUTS, STATE])


def lead_partitions_added(stage):
    """partitions are added to the message topic alone: its workers end with 78"""
    partitions_added(stage, [MESSAGES])


def input_partitions_added(stage):
    """partitions are added to one other input: its workers end with 78"""
    partitions_added(stage, [RECEIPTS])


def go_on_behind(stage, topic):
    """The pool goes on behind the gaps of a topic, and says so of each partition."""
    worker = stage.worker("1", "--gaps", "continue")
    for number in range(PARTITIONS):
        stage.expect_line(worker, stage.topic(topic), level="error", message="gap",
                          partition=f"^{number}$")
    stage.await_announced()


def stop_and_go_on(stage, worker):
    """The receipts are another topic: their partitions stop, and then go on at its beginning."""
    stage.expect_stopped(
        worker, "topic_made_anew|offset_beyond_end", range(PARTITIONS), stage.topic(RECEIPTS))
    stage.stop(worker)
    go_on_behind(stage, RECEIPTS)
    stage.finish()


def input_made_anew(stage):
    """an input is made anew and filled past the position: its partitions stop, --gaps continue goes
    on at its beginning"""
    stage.prepare()
    worker = stage.worker()
    stage.work(10)
    stage.stop(worker)
    stage.delete(RECEIPTS)
    stage.apply()
    stage.talk(20)
    worker = stage.worker()
    stage.expect_stopped(worker, "topic_made_anew", range(PARTITIONS), stage.topic(RECEIPTS))
    stage.expect_silence(range(PARTITIONS))
    stage.stop(worker)
    stage.verify(wait="0s", code=FAULTY, words=["was made anew"])
    go_on_behind(stage, RECEIPTS)
    stage.finish()
    stage.verify(code=UNDECIDED, words=["gone on behind 1 gaps of chat.receipts"])


def input_made_anew_below(stage):
    """an input is made anew and ends below the position: its partitions stop, --gaps continue goes
    on at its beginning"""
    stage.prepare()
    worker = stage.worker()
    stage.work(10)
    stage.stop(worker)
    stage.delete(RECEIPTS)
    stage.apply()
    stage.talk(5)
    worker = stage.worker()
    stage.expect_stopped(
        worker, "topic_made_anew|offset_beyond_end", range(PARTITIONS), stage.topic(RECEIPTS))
    stage.expect_silence(range(PARTITIONS))
    stage.stop(worker)
    stage.verify(wait="0s", code=FAULTY, words=["was truncated or made anew"])
    go_on_behind(stage, RECEIPTS)
    stage.finish()


def input_made_anew_while_running(stage):
    """an input is deleted under a running pool: an error names it, and made anew it is another"""
    stage.prepare()
    worker = stage.worker()
    stage.work(10)
    stage.delete(RECEIPTS)
    stage.expect_line(worker, stage.topic(RECEIPTS), level="error", seconds=LOOK_SECONDS)
    stage.apply()
    stage.talk(20)
    stop_and_go_on(stage, worker)


def input_made_anew_in_a_pause(stage):
    """an input is made anew and filled past the position while the worker stands still within its
    session: its partitions stop"""
    stage.prepare()
    worker = stage.worker()
    stage.work(10)
    worker.pause()
    resumed = time.monotonic() + PAUSE_SECONDS
    stage.delete(RECEIPTS)
    stage.apply()
    stage.talk(20)
    time.sleep(max(0, resumed - time.monotonic()))
    worker.resume()
    stage.expect_stopped(worker, "topic_made_anew", range(PARTITIONS), stage.topic(RECEIPTS))
    stage.expect_silence(range(PARTITIONS))
    stage.stop(worker)
    go_on_behind(stage, RECEIPTS)
    stage.finish()


def input_made_anew_at_once(stage):
    """an input is made anew under a running pool and filled past the position within a blink: its
    partitions stop"""
    stage.prepare()
    worker = stage.worker()
    stage.work(10)
    stage.delete(RECEIPTS)
    stage.apply()
    stage.talk(20)
    stage.expect_stopped(
        worker, "topic_made_anew|offset_beyond_end", range(PARTITIONS), stage.topic(RECEIPTS))
    stage.expect_silence(range(PARTITIONS))
    stage.stop(worker)
    go_on_behind(stage, RECEIPTS)
    stage.finish()


def input_made_anew_in_half_a_second(stage):
    """the same half a second later, so that the clients are told that it is gone"""
    input_made_anew_under_work(stage, pause=0.5)


def input_made_anew_under_work(stage, pause=0):
    """an input is made anew and filled within a moment, so that nobody tells the worker: its
    partitions stop all the same, within seconds"""
    stage.prepare()
    worker = stage.worker()
    stage.work(10)
    # By now the worker has asked what it knows the topic by.
    time.sleep(KNOWN_SECONDS)
    stage.make_anew(RECEIPTS, pause)
    stage.talk(20)
    stop_and_go_on(stage, worker)


def deleted_unread(stage, lose):
    """Records of one partition go unread, by `lose`; it stops, and `accept-loss` mends it."""
    others = [0, 2]
    worker = lose(*stage.offsets(RECEIPTS, 1))
    stage.expect_stopped(worker, "offset_below_start", [1], stage.topic(RECEIPTS))
    stage.await_announced(others)
    stage.talk(3)
    stage.await_announced(others)
    stage.expect_silence([1])
    stage.stop(worker)
    code, text = stage.run(
        "topics", "accept-loss", "--partition", str(PARTITIONS), "--yes", group=stage.group)
    if code != FAULTY or f"has no partition {PARTITIONS}" not in text:
        raise Misbehaved(f"accept-loss of no partition ended with {code}: {text}")
    stage.must("topics", "accept-loss", "--partition", "1", "--yes", group=stage.group)
    stage.worker()
    # Bob's next receipt covers what the lost ones did.
    stage.await_announced()
    stage.finish()


def records_deleted_unread(stage):
    """records are deleted unread under a stopped pool: that partition stops, and accept-loss mends
    it"""
    stage.prepare()
    worker = stage.worker()
    stage.work(10)
    stage.stop(worker)

    def lose(_, end):
        stage.talk(10)
        stage.cut(RECEIPTS, 1, end + 5)
        return stage.worker()
    deleted_unread(stage, lose)


def records_deleted_unread_while_running(stage):
    """records are deleted unread under a running pool: that partition stops, and accept-loss mends
    it"""
    stage.prepare()
    worker = stage.worker()
    stage.work(10)

    def lose(_, end):
        worker.pause()
        # Its last request, which the broker holds, is answered with the first that comes.
        stage.talk(1)
        stage.talk(10)
        stage.cut(RECEIPTS, 1, end + 6)
        worker.resume()
        return worker
    deleted_unread(stage, lose)


def changelog_cut(stage):
    """a changelog loses its head: that partition stops, state_incomplete, and the others go on"""
    stage.prepare()
    worker = stage.worker()
    stage.work(10)
    stage.stop(worker)
    stage.configure(STATE, "cleanup.policy", "delete")
    _, end = stage.offsets(STATE, 1)
    stage.cut(STATE, 1, end // 2, seconds=10)
    stage.configure(STATE, "cleanup.policy", "compact")
    worker = stage.worker()
    stage.expect_stopped(worker, "state_incomplete", [1], "should hold", "reset-state")
    stage.verify(wait="0s", code=FAULTY, words=["should hold"])
    stage.talk(3)
    stage.await_announced([0, 2])
    stage.expect_silence([1])
    stage.finish()


def reset_of_another_group(stage):
    """reset-state with a forgotten --group is refused, and nothing is lost"""
    stage.prepare()
    worker = stage.worker()
    stage.work(5)
    code, text = stage.run("topics", "reset-state", "--partition", "0", "--yes")
    if not code or stage.group not in text:
        raise Misbehaved(f"reset-state ended with {code}: {text}")
    stage.verify(group="rollcall", wait="0s", code=CONFIGURATION, words=[stage.group])
    stage.work(5)
    worker.kill()
    stage.worker()
    stage.work(5)
    stage.finish()
    stage.verify()


def offsets_moved(stage):
    """the group's offsets are set back: its partition stops, and goes on where the state says once
    they are deleted, as the log says"""
    stage.prepare()
    worker = stage.worker()
    stage.work(5)
    stage.stop(worker)
    stage.await_no_members()
    stage.move_offset(RECEIPTS, 1, 0)
    worker = stage.worker()
    stage.expect_stopped(
        worker, "offsets_differ", [1], f"kafka-consumer-groups --delete --group {stage.group}")
    stage.stop(worker)
    stage.await_no_members()
    stage.forget_group()
    stage.worker()
    stage.work(5)
    stage.finish()
    stage.verify()


def two_groups_at_once(stage):
    """two groups begin on one new state at the same time: each partition has one of them"""
    stage.prepare()
    other = stage.group + "-other"
    workers = [stage.worker("1"), stage.worker("2", group=other)]
    stage.await_("one of them ends", lambda: any(worker.has_ended() for worker in workers))
    for worker in workers:
        if worker.has_ended():
            stage.expect_end(worker, CONFIGURATION, stage.group, other)
    stage.talk(5)
    stage.finish()


def other_rules(stage):
    """a worker with other rules says so, and verify takes them from the state"""
    stage.prepare()
    worker = stage.worker()
    stage.work(5)
    stage.stop(worker)
    worker = stage.worker("1", "--leavers", "hold", "--grace", "3m")
    stage.expect_line(worker, "leavers", "hold", "grace", message="rules changed")
    stage.work(5)
    stage.finish()
    stage.verify()
    stage.verify("--leavers", "release", code=CONFIGURATION, words=["leavers"])


def output_deleted(stage):
    """an output is deleted under a running pool: an error names it, and made anew the pool goes
    on"""
    stage.prepare()
    worker = stage.worker()
    stage.work(5)
    stage.delete("chat.status")
    stage.talk()
    stage.expect_line(worker, stage.topic("chat.status"), level="error", seconds=LOOK_SECONDS)
    stage.apply()
    stage.work(2)
    stage.finish()


def state_deleted(stage):
    """the changelog is deleted under a running pool: an error names it"""
    stage.prepare()
    worker = stage.worker()
    stage.work(5)
    stage.delete(STATE)
    stage.talk()
    stage.expect_line(worker, stage.topic(STATE), level="error", seconds=LOOK_SECONDS)
    stage.finish()


def state_made_anew(stage):
    """the changelog is made anew under a running pool: half a state is never restored"""
    stage.prepare()
    worker = stage.worker()
    stage.work(5)
    stage.delete(STATE)
    stage.apply()
    stage.talk(2)
    # Whatever it makes of it, the next one must see that the beginning is missing.
    stage.await_("something is written to it again, or it says what is wrong", lambda: any(
        stage.offsets(STATE, number)[1] for number in range(PARTITIONS)) or worker.last_error())
    stage.tolerate(worker)
    stage.expect_stopped(
        stage.worker(), "state_incomplete|offset_without_state|offsets_differ|versions_differ",
        range(PARTITIONS))
    stage.finish()


def another_group(stage):
    """a worker of another group is refused; --take-over-group moves a pool that has ended, once"""
    stage.prepare()
    worker = stage.worker()
    stage.work(5)
    other = stage.group + "-moved"
    names = (stage.group, other)
    stage.expect_end(stage.worker("2", group=other), CONFIGURATION, *names)
    take_over = ("--take-over-group", stage.group)
    stage.expect_end(stage.worker("3", *take_over, group=other), CONFIGURATION, stage.group)
    stage.work(5)
    stage.stop(worker)
    stage.await_no_members()
    moved = stage.worker("4", *take_over, group=other)
    stage.work(5)
    stage.expect_end(stage.worker("1"), CONFIGURATION, *names)
    stage.work(5)
    stage.stop(moved)
    # Without the option, too, from then on.
    stage.worker("4", group=other)
    stage.work(5)
    stage.finish()
    stage.verify(group=other)


def compacted_input(stage):
    """an input that compacts is refused at the start"""
    stage.prepare()
    worker = stage.worker()
    stage.work(5)
    stage.stop(worker)
    stage.configure(RECEIPTS, "cleanup.policy", "compact")
    stage.expect_end(stage.worker(), CONFIGURATION, stage.topic(RECEIPTS))
    stage.configure(RECEIPTS, "cleanup.policy", "delete")
    stage.worker()
    stage.work(5)
    stage.finish()
    stage.verify()


def open_transaction(stage):
    """a transaction stays open upstream beyond the grace: a warning says so, and nothing is lost"""
    stage.prepare()
    worker = stage.worker("1", "--grace", "3s")
    stage.work(2)
    group = stage.groups[1]
    backend = Writer(stage.kafka.bootstrap, stage.prefix, stage.group + "-backend")
    backend.producer.init_transactions()
    backend.producer.begin_transaction()
    stage.write(1, group.message("ann"), backend)
    backend.flush()
    stage.write(1, stage.note_read(1))
    stage.talk(2)
    stage.expect_line(
        worker, stage.topic(MESSAGES), level="warning", message="transaction", partition="^1$")
    stage.await_announced([0, 2])
    stage.expect_silence([1])
    backend.producer.commit_transaction()
    stage.await_announced()
    stage.finish()
    stage.verify("--grace", "3s")


def odd_times(stage, timestamp, then=None):
    """What waits a moment waits, though the records' times are not the clock's.

    `then`: the time of what it waits for, where that is another."""
    stage.prepare(timestamp=timestamp)
    stage.worker()
    stage.work(2)
    for number, group in enumerate(stage.groups):
        group.next_id()
        stage.write(number, stage.note_read(number))
    stage.writer.flush()
    # The worker has read to the end, and ticks.
    stage.await_applied()
    stage.timestamp = then or timestamp
    for number, group in enumerate(stage.groups):
        group.newest -= 1
        stage.write(number, group.message("ann"))
    stage.writer.flush()
    stage.await_announced()
    stage.finish()
    stage.verify("--grace", GRACE)


def times_of_old(stage):
    """records that are ten minutes old use up no grace"""
    odd_times(stage, lambda: int(time.time() * 1000) - 600_000)


def no_times(stage):
    """records without a time use up no grace"""
    odd_times(stage, lambda: -1)


def times_begin_late(stage):
    """the first record with a time, behind others without one, makes nothing due"""
    odd_times(stage, lambda: -1, then=lambda: int(time.time() * 1000))


# Those that wait for long come first.
ACTS = [
    all_partitions_added, lead_partitions_added, input_partitions_added, open_transaction,
    input_made_anew_while_running, input_made_anew_in_a_pause, input_made_anew_at_once,
    input_made_anew_under_work, input_made_anew_in_half_a_second, output_deleted, state_deleted,
    state_made_anew, another_group,
    input_made_anew, input_made_anew_below, records_deleted_unread,
    records_deleted_unread_while_running, changelog_cut, reset_of_another_group, offsets_moved,
    two_groups_at_once, other_rules, compacted_input, times_of_old, no_times,
    times_begin_late]
