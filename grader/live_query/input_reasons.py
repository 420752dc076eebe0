"""Reasons on the way in: an error, nothing to read, records that no micro-batch has taken in."""

from __future__ import annotations

from grader.judging.wording.failure_text import failure_text
from grader.live_query import phrases
from grader.live_query.observation import LONG_TRIGGER_MS, Observation, Reason


def failed(seen: Observation) -> Reason | None:
    if seen.failure is None:
        return None
    out = seen.rows_out
    before = f" Before that it had given out {phrases.rows(out)}." if out else ""
    return Reason(
        "failed", f"The query has stopped with an error.{before}\n{failure_text(seen.failure)}"
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
    """Records lie in the topics that no micro-batch has taken in."""
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
        )
    if seen.interval >= LONG_TRIGGER_MS:
        return Reason(
            "waiting_for_trigger",
            f"{phrases.so_far(seen)} {waiting} not read yet: the query waits for its next trigger.",
            f"A micro-batch starts only when the trigger fires, every {phrases.length(seen.interval)}; the next "
            f"time at {phrases.next_trigger(seen)}.",
            "Wait till then, or start the query with a shorter processingTime.",
        )
    return Reason(
        "at_work",
        f"{phrases.so_far(seen)} {waiting} not read yet ({seen.status or 'it is at work'}).",
        "The micro-batch that takes them in is not over.",
        "Wait for it with query.processAllAvailable(), then ask again.",
    )


def _read_before(seen: Observation) -> Reason | None:
    known = seen.progress or not seen.active or "Waiting for data" in seen.status
    if not seen.resumed or seen.unread or not known:
        return None
    return Reason(
        "checkpoint_read_all",
        "Nothing new has come in: the checkpoint says that all that is there was read before.",
        "A query goes on where its checkpoint stopped, even if you have changed the query since.",
        "Send new events, or start with a fresh checkpoint folder to read the old ones again.",
    )


def _empty(seen: Observation) -> Reason | None:
    if not seen.topics or any(topic.records for topic in seen.topics.values()):
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
    return Reason(
        "starting_latest",
        f"Nothing has come in: the query began after the {phrases.records(sum(skipped.values()))} that "
        f"{phrases.topics(skipped)} held when it was started.",
        "Without a checkpoint a Kafka source begins at the latest offset: what was there before is not read.",
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
