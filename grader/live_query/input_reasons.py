"""Reasons in the input: an error, nothing to read, records that no micro-batch has read."""

from __future__ import annotations

from grader.judging.wording.failure_text import failure_text
from grader.live_query import phrases
from grader.live_query.observation import LIMIT_SECONDS, LONG_TRIGGER_MS, Observation, Reason

_OFFSETS = "the offsets of the topics and of the checkpoint"


def unseen(seen: Observation) -> Reason | None:
    """It is not even known whether the query runs: its Spark is gone."""
    if "whether it runs" not in seen.unseen:
        return None
    return Reason(
        "unseen",
        "This query cannot be looked at any more.",
        "A query belongs to the Spark session that started it. That session has ended, or its Java does not answer.",
        "Run the cell that starts the query again, in a session from grader.start().",
        evidence="no answer from Spark",
    )


def failed(seen: Observation) -> Reason | None:
    if seen.failure is None:
        return None
    out = seen.rows_out
    before = f" Before that it had emitted {phrases.rows(out)}." if out else ""
    return Reason(
        "failed",
        f"The query has stopped with an error.{before}\n{failure_text(seen.failure)}",
        evidence="the error that the query ended with",
    )


def damaged_checkpoint(seen: Observation) -> Reason | None:
    """Files of the checkpoint that are missing or broken; a query continues from them, or fails."""
    if not seen.damage:
        return None
    return Reason(
        "damaged_checkpoint",
        "The checkpoint of this query is damaged.",
        "The files of a checkpoint belong together: offsets says what a micro-batch reads, commits that it is done, "
        "state what it left. If one of them is gone, Spark fails, or reads and counts records again.",
        "Stop the query and restore the folder as a whole from a backup, or start with a fresh checkpoint. Never "
        "remove single files of a checkpoint.",
        tuple(f"  {one}" for one in seen.damage),
        evidence="the files of the checkpoint",
    )


def silent_broker(seen: Observation) -> Reason | None:
    """A broker of the query that does not answer."""
    if not seen.silent_brokers:
        return None
    servers = " and ".join(seen.silent_brokers)
    return Reason(
        "no_broker",
        f"{phrases.so_far(seen)} The Kafka broker at {servers} has not answered within {LIMIT_SECONDS} s.".strip(),
        "Without it the query cannot see which records there are: it waits and tries again, and shows no error for "
        "a long time.",
        "Compare the option kafka.bootstrap.servers with kafka.bootstrap_servers, the address of the lab's broker. "
        "Another broker must run and be reachable from this machine. If it expects TLS or a password, set "
        "kafka.security.protocol and the settings that belong to it.",
        evidence="a request to the broker",
    )


def missing_topic(seen: Observation) -> Reason | None:
    names = [name for name, topic in seen.topics.items() if not topic.there]
    if not names and not seen.unmatched:
        return None
    what = f"no {phrases.topics(names)}" if names else f"no topic that fits `{seen.unmatched[0]}`"
    return Reason(
        "missing_topic",
        f"The broker has {what}.",
        "A query that subscribes to a name that does not exist reads nothing from it.",
        "Compare the name with the one that the producer writes to; kafka.create_topic(name) makes a topic.",
        evidence="the list of the broker's topics",
    )


def lost_records(seen: Observation) -> Reason | None:
    """Offsets that Kafka did not have any more when the query wanted to read them."""
    lost = {name: topic.lost for name, topic in seen.topics.items() if topic.lost}
    other = [name for name, topic in seen.topics.items() if topic.beyond]
    if not lost and not other:
        return None
    what = (
        f"{phrases.records(sum(lost.values()))} of {phrases.topics(lost)} {'was' if sum(lost.values()) == 1 else 'were'} "
        "gone from Kafka before the query read them."
        if lost
        else f"The checkpoint is ahead of the end of {phrases.topics(other)}: the topic was deleted and created again."
    )
    return Reason(
        "lost_records",
        what,
        "Kafka removes records after its retention time, and all of them with their topic. With failOnDataLoss=false "
        "Spark continues after the gap and says so only in its log.",
        "Start with a fresh checkpoint to read what is there now. To be stopped by such a gap, leave failOnDataLoss "
        "at true; to avoid it, keep records longer than the query may stand still.",
        evidence=_OFFSETS,
    )


def open_transaction(seen: Observation) -> Reason | None:
    """Records after the start of a transaction that is still open."""
    waiting = {name: topic.open for name, topic in seen.topics.items() if topic.open}
    if not waiting:
        return None
    return Reason(
        "open_transaction",
        f"{sum(waiting.values())} offsets of {phrases.topics(waiting)} are after the start of a transaction that is "
        "still open.",
        "With kafka.isolation.level=read_committed a query reads up to the first open transaction, and no further "
        "until its producer commits or aborts it.",
        "Commit or abort the transaction in the producer. A producer that has died is aborted by the broker after "
        "transaction.timeout.ms.",
        evidence=_OFFSETS,
    )


def transaction_marks(seen: Observation) -> Reason | None:
    """Offsets without a record: the marks of transactions, and what was aborted or compacted."""
    gaps = {
        name: (sample.rows, sample.offsets)
        for name, sample in seen.samples.items()
        if sample.rows < sample.offsets
    }
    if not gaps:
        return None
    name, (rows, offsets) = next(iter(gaps.items()))
    return Reason(
        "gaps_in_offsets",
        f"In {offsets} offsets of {name} there {'is' if rows == 1 else 'are'} {phrases.records(rows)}.",
        "Offsets are not records. Each transaction takes one offset for its mark. Under read_committed the records of "
        "an aborted transaction are skipped. A compacted topic has gaps.",
        "Count records, not offsets. Records of aborted transactions are read unless the source has "
        'option("kafka.isolation.level", "read_committed").',
        evidence="the newest records of the topic",
    )


def no_input(seen: Observation) -> Reason | None:
    """No record in this run. A first micro-batch may have run over an empty topic, all the same."""
    if seen.batches and (seen.records_in != 0 or seen.rows_out):
        return None
    for look in (_read_before, _empty, _began_later, _not_run, _waits_for_data):
        found = look(seen)
        if found is not None:
            return found
    return None


def unread(seen: Observation) -> Reason | None:
    """The topics have records that no micro-batch has read."""
    if not seen.unread:
        return None
    unread_names = phrases.topics(name for name, topic in seen.topics.items() if topic.unread)
    waiting = (
        f"{phrases.records(seen.unread)} in {unread_names} {'is' if seen.unread == 1 else 'are'}"
    )
    if not seen.active:
        return Reason(
            "ended",
            f"{phrases.so_far(seen)} {waiting} not read.",
            "A query that has ended reads nothing that comes later.",
            f"To read on, {phrases.start_again(seen)}.",
            evidence=_OFFSETS,
        )
    if seen.interval >= LONG_TRIGGER_MS:
        return Reason(
            "waiting_for_trigger",
            f"{phrases.so_far(seen)} {waiting} not read yet: the query waits for its next trigger.",
            f"A micro-batch starts only when the trigger fires, every {phrases.length(seen.interval)}; the next "
            f"time at {phrases.next_trigger(seen)}.",
            "Wait until then, or start the query with a shorter processingTime.",
        )
    minimum = _minimum(seen)
    if seen.unread < minimum:
        return Reason(
            "below_minimum",
            f"{phrases.so_far(seen)} {waiting} not read yet: the source waits for {minimum}.",
            f"With minOffsetsPerTrigger={minimum} a micro-batch begins when so many offsets are there. It also begins "
            "when maxTriggerDelay has passed since the last one. Without that option it is 15 minutes.",
            "Send more events, or set a smaller minOffsetsPerTrigger or a shorter maxTriggerDelay.",
            evidence="the options of the source and the offsets of the topics",
        )
    return Reason(
        "at_work",
        f"{phrases.so_far(seen)} {waiting} not read yet ({seen.status or 'it is at work'}).",
        "The micro-batch that takes them in is not over.",
        "Wait for it with query.processAllAvailable(), then ask again.",
    )


def _minimum(seen: Observation) -> int:
    """The largest minOffsetsPerTrigger of the inputs; 0 without one."""
    given = [options.get("minoffsetspertrigger", "0") for options in seen.options.values()]
    return max((int(number) for number in given if number.isdigit()), default=0)


def _read_before(seen: Observation) -> Reason | None:
    known = seen.progress or not seen.active or "Waiting for data" in seen.status
    if not seen.resumed or seen.unread or not known:
        return None
    return Reason(
        "checkpoint_read_all",
        "Nothing new has come in: the checkpoint says that all that is there was read before.",
        "A query goes on where its checkpoint stopped, even if you have changed the query since. A checkpoint "
        "belongs to one running query: a second query with it reads nothing again, and Spark stops the first.",
        "Send new events, or start with a fresh checkpoint folder to read the old ones again. Give each query a "
        "checkpoint of its own.",
    )


def _empty(seen: Observation) -> Reason | None:
    if not seen.topics or any(t.records or not t.there for t in seen.topics.values()):
        return None
    return Reason(
        "empty_topic",
        f"Nothing has come in: {phrases.topics(seen.topics)} "
        f"{'holds' if len(seen.topics) == 1 else 'hold'} no records.",
        "A query without input has nothing to say.",
        "Send events, and compare the topic's name with the one that the producer writes to.",
    )


def _began_later(seen: Observation) -> Reason | None:
    skipped = {name: topic.before for name, topic in seen.topics.items() if topic.before}
    if not skipped or seen.unread:
        return None
    options = {key for given in seen.options.values() for key in given}
    began = (
        f"Nothing has come in: the query began after the {phrases.records(sum(skipped.values()))} that "
        f"{phrases.topics(skipped)} held when it was started."
    )
    if options & {"startingtimestamp", "startingoffsetsbytimestamp"}:
        return Reason(
            "starting_latest",
            began,
            "startingTimestamp and startingOffsetsByTimestamp choose the first record of that time or later. Here "
            "no record was so new, and the query began after the last one.",
            "Give an earlier time, in milliseconds since 1970 (UTC), and start with a fresh checkpoint.",
        )
    group = (
        " The offsets that a consumer group has committed (kafka.group.id) do not count either."
        if "kafka.group.id" in options
        else ""
    )
    return Reason(
        "starting_latest",
        began,
        "Without a checkpoint a Kafka source begins at the latest offset: what was there before is not read."
        + group,
        'Set .option("startingOffsets", "earliest") and start with a fresh checkpoint.',
    )


def _not_run(seen: Observation) -> Reason | None:
    """Not one micro-batch is done."""
    if seen.batches:
        return None
    if not seen.active:
        return Reason(
            "never_ran",
            "The query has ended without a single micro-batch.",
            f"{phrases.records(seen.unread)} {'was' if seen.unread == 1 else 'were'} there to be read: it was "
            "stopped before the first one was done."
            if seen.unread
            else "There was nothing to read when it was started.",
            "Start it again and leave it running."
            if seen.unread
            else "Send events first, or start it again and leave it running.",
        )
    if seen.progress and (seen.interval >= LONG_TRIGGER_MS or not seen.unread):
        return None
    return Reason(
        "first_batch",
        f"The query runs, but its first micro-batch has not ended ({seen.status or 'it is at work'}).",
        "Until then there is no progress to look at.",
        "Wait for it with query.processAllAvailable(), then ask again.",
    )


def _waits_for_data(seen: Observation) -> Reason | None:
    return unread(seen) or Reason(
        "no_input",
        "No record has come in in this run.",
        "The sources have had nothing to read since the query was started.",
        "Send events, then ask again.",
    )
