"""Ways to misread a checkpoint."""

import json
from collections.abc import Callable
from typing import Any

Checkpoint = dict[str, Any]


def _types(columns: list[str]) -> list[str]:
    return [column.partition(" ")[2] for column in columns]


def _newest(offsets: dict[str, str]) -> str:
    return max(offsets, key=int)


def _count_sources(lines: list[str], query: Checkpoint) -> bool:
    return len(lines) != len(query["sources"])


def _lost(lines: list[str], query: Checkpoint, topics: Checkpoint) -> bool:
    for line, reads in zip(lines, query["sources"], strict=False):
        for topic, partitions in ({} if line == "-" else json.loads(line)).items():
            for partition, offset in partitions.items():
                if topic not in reads or topics.get(topic, {}).get(partition, -1) < offset:
                    return True
    return False


def _committed(batch: int, offsets: dict[str, str], commits: list[int]) -> bool:
    return batch in commits


def _say(
    offsets: dict[str, str],
    commits: list[int],
    state: list[Checkpoint],
    query: Checkpoint,
    topics: Checkpoint,
    *,
    newest: Callable[[dict[str, str]], str] = _newest,
    sources: Callable[[list[str], Checkpoint], bool] = _count_sources,
    lost: Callable[[list[str], Checkpoint, Checkpoint], bool] = _lost,
    shape: Callable[[list[str]], Any] = _types,
    names: Callable[[list[str]], Any] = list,
    done: Callable[[int, dict[str, str], list[int]], bool] = _committed,
    committed_first: bool = False,
) -> dict[str, Any]:
    """The rules as they are, but for those that are given."""
    if not offsets:
        return {"start": "new", "batch": 0}
    batch = newest(offsets)
    lines = offsets[batch].split("\n")[2:]
    again = not done(int(batch), offsets, commits)
    if again and committed_first:
        return {"start": "again", "batch": int(batch)}
    if sources(lines, query):
        return {"start": "sources", "batch": None}
    wanted = query["state"]
    if names([s["operator"] for s in state]) != names([w["operator"] for w in wanted]):
        return {"start": "operators", "batch": None}
    for part in ("key", "value"):
        if any(shape(s[part]) != shape(w[part]) for s, w in zip(state, wanted, strict=False)):
            return {"start": part, "batch": None}
    if lost(lines, query, topics):
        return {"start": "topics", "batch": None}
    if again:
        return {"start": "again", "batch": int(batch)}
    return {"start": "next", "batch": int(batch) + 1}


def newest_as_a_text(**start: Any) -> dict[str, Any]:
    """9 is taken for newer than 10

    With entries 8, 9 and 10 your answer goes by entry 9. The names of the entries are texts, and as texts
    "9" comes after "10". Compare them as numbers.
    """
    return _say(**start, newest=max)


def commits_not_asked(**start: Any) -> dict[str, Any]:
    """A batch without a commit is passed over

    Where the newest entry has no commit you go on with the batch after it. That batch was planned, and
    perhaps written, but nobody has noted that it was done: Spark runs it again, with the same offsets.
    """
    return _say(**start, done=lambda batch, offsets, commits: True)


def without_commits_it_is_new(**start: Any) -> dict[str, Any]:
    """A first batch that was planned is forgotten

    A start is called new although there is an entry for batch 0. It was planned with these offsets and may have
    been written; without a commit it runs again. New is only a query whose offset log is empty.
    """
    return _say(**start) if start["commits"] else {"start": "new", "batch": 0}


def first_word_of_a_type(**start: Any) -> dict[str, Any]:
    """Of a type only the first word is compared

    A start is let through in which `interval day to second` becomes `interval year to month`. A column is a name
    and a type, and everything after the name is its type: `column.split(" ", 1)` cuts at the first space only.
    """
    return _say(**start, shape=lambda columns: [column.split()[1] for column in columns])


def names_compared(**start: Any) -> dict[str, Any]:
    """Another name is called another type

    A start is called refused in which a column only has another name. State has types, and places; a
    column `site` of the same type at the place of `page` goes through. That is good when it is a new name,
    and bad when it is a new thing: the old values are then read as something that they are not.
    """
    return _say(**start, shape=list)


def order_not_compared(**start: Any) -> dict[str, Any]:
    """The same types in another order

    A start is let through in which two columns of different types have changed places. A row in the state is
    read place by place.
    """
    return _say(**start, shape=lambda columns: sorted(_types(columns)))


def how_many_columns(**start: Any) -> dict[str, Any]:
    """As many columns, and other types

    A start is let through in which a column has another type. Spark compares how many there are, and the type
    of each.
    """
    return _say(**start, shape=len)


def topics_not_asked(**start: Any) -> dict[str, Any]:
    """A topic that was made anew goes unseen

    A start is let through although a topic ends before the offset in the checkpoint, or is gone. Spark asks
    Kafka for each partition at the first batch, and stops where one is short or missing.
    """
    return _say(**start, lost=lambda lines, query, topics: False)


def ends_just_there(**start: Any) -> dict[str, Any]:
    """A topic without news is called lost

    A start is called refused in which a partition ends exactly at the offset of the checkpoint. An offset in
    the log is the one that comes *next*: there is nothing new, and nothing is missing.
    """

    def lost(lines: list[str], query: Checkpoint, topics: Checkpoint) -> bool:
        less = {t: {p: end - 1 for p, end in of.items()} for t, of in topics.items()}
        return _lost(lines, query, less)

    return _say(**start, lost=lost)


def sources_in_any_order(**start: Any) -> dict[str, Any]:
    """The same sources the other way round

    A start is let through in which two sources have changed places. Without names, line 1 of the offsets belongs
    to the first source of the query, whichever that is: the kiosk is asked for the offsets of the clicks.
    """

    def lost(lines: list[str], query: Checkpoint, topics: Checkpoint) -> bool:
        every = [topic for reads in query["sources"] for topic in reads]
        return _lost(lines, {"sources": [every] * len(lines)}, topics)

    return _say(**start, lost=lost)


def readers_not_asked(**start: Any) -> dict[str, Any]:
    """A topic that nobody reads any more goes unseen

    A start is let through in which no source reads the topic of an offset. That Kafka has the topic is not enough:
    line n of the offsets belongs to source n of the query, and that source has to read it.
    """

    def lost(lines: list[str], query: Checkpoint, topics: Checkpoint) -> bool:
        return _lost(lines, {"sources": [topics] * len(lines)}, topics)

    return _say(**start, lost=lost)


def silent_source_not_counted(**start: Any) -> dict[str, Any]:
    """A source without an offset is a source

    The line `-` is not counted. It stands for a source that has not given anything yet, and Spark counts it
    as one.
    """

    def sources(lines: list[str], query: Checkpoint) -> bool:
        return len([line for line in lines if line != "-"]) != len(query["sources"])

    return _say(**start, sources=sources)


def last_entry_listed(**start: Any) -> dict[str, Any]:
    """The last entry in the list is taken for the newest

    Where the log is listed from the newest entry to the oldest, your answer goes by the oldest. The logs may be in
    any order: the newest entry is the one with the greatest number.
    """
    return _say(**start, newest=lambda offsets: list(offsets)[-1])


def last_commit_listed(**start: Any) -> dict[str, Any]:
    """The last commit in the list is taken for the newest

    Where the commits are listed from the newest to the oldest, you run a batch again that is committed. The list may
    be in any order: is the number of the newest entry anywhere in it?
    """
    return _say(**start, done=lambda batch, offsets, commits: commits[-1:] == [batch])


def commits_counted(**start: Any) -> dict[str, Any]:
    """As many commits as entries, or fewer

    Where the commit of an old batch had been deleted before its entry, you run a batch again; where there were as many
    commits as entries, you go on, though the newest entry has none. How many are left of each says nothing. Is the
    *newest* entry's number among the commits?
    """
    return _say(**start, done=lambda batch, offsets, commits: len(commits) >= len(offsets))


def oldest_without_a_commit(**start: Any) -> dict[str, Any]:
    """A batch of long ago is to run again

    Of an old batch the commit had been deleted before the entry, and you run it again. Batches run one after the other, so
    all before the newest are done: only for the newest entry a missing commit says anything.
    """
    said = _say(**start)
    missing = {int(number) for number in start["offsets"]} - set(start["commits"])
    if said["start"] in ("again", "next") and missing:
        return {"start": "again", "batch": min(missing)}
    return said


def settings_counted_as_a_source(**start: Any) -> dict[str, Any]:
    """Most starts are refused for their sources

    Also those whose entry has a line for each source of the query. Two lines stand before them: the version, and
    the JSON of the settings.
    """
    return _say(**start, sources=lambda lines, query: len(lines) + 1 != len(query["sources"]))


def first_source_only(**start: Any) -> dict[str, Any]:
    """A second source's topic goes unseen

    A start is let through although the topic of the second source ends before its offset. Each source has a line, and
    each line is asked.
    """
    return _say(**start, lost=lambda lines, query, topics: _lost(lines[:1], query, topics))


def first_topic_only(**start: Any) -> dict[str, Any]:
    """A source's second topic goes unseen

    A start is let through although the second topic in a line ends before its offset. A source may read several topics,
    and all of them are in its line.
    """

    def lost(lines: list[str], query: Checkpoint, topics: Checkpoint) -> bool:
        read = [{} if line == "-" else json.loads(line) for line in lines]
        first = [json.dumps(dict(list(of.items())[:1])) for of in read]
        return _lost(first, query, topics)

    return _say(**start, lost=lost)


def new_partition_refused(**start: Any) -> dict[str, Any]:
    """A partition that is new is called lost

    A start is called refused in which a topic has one partition more than the checkpoint. Nothing of it has been
    read, so nothing can be missing: Spark reads it from its first record on.
    """

    def lost(lines: list[str], query: Checkpoint, topics: Checkpoint) -> bool:
        read = [{} if line == "-" else json.loads(line) for line in lines]
        more = any(topics.get(t, {}).keys() - parts for of in read for t, parts in of.items())
        return more or _lost(lines, query, topics)

    return _say(**start, lost=lost)


def partitions_added_up(**start: Any) -> dict[str, Any]:
    """One partition hides what another lacks

    A start is let through in which partition 0 ends before its offset, and partition 1 far behind its own. Each
    partition counts its own offsets: compare them one by one.
    """

    def lost(lines: list[str], query: Checkpoint, topics: Checkpoint) -> bool:
        for line, reads in zip(lines, query["sources"], strict=False):
            for topic, parts in ({} if line == "-" else json.loads(line)).items():
                ends = topics.get(topic, {})
                if topic not in reads or not parts.keys() <= ends.keys():
                    return True
                if sum(ends.values()) < sum(parts.values()):
                    return True
        return False

    return _say(**start, lost=lost)


def operators_in_any_order(**start: Any) -> dict[str, Any]:
    """The same operators the other way round

    A start is not refused for its operators in which two have changed places. Spark numbers them, and compares
    number by number.
    """
    return _say(**start, names=sorted)


def commit_before_all_else(**start: Any) -> dict[str, Any]:
    """A batch that cannot run again

    A batch without a commit is said to run again where the start is refused. To run it again the query needs its
    sources, its topics and its state, as for any other batch; in the list these rules come first.
    """
    return _say(**start, committed_first=True)
