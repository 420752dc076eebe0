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
    """Batch numbers compared as strings

    With entries 8, 9 and 10 your answer uses entry 9. The names of the entries are strings, and as strings "9"
    comes after "10". How can you compare them as numbers?
    """
    return _say(**start, newest=max)


def commits_not_asked(**start: Any) -> dict[str, Any]:
    """Batch without a commit skipped

    If the newest entry has no commit, your answer continues with the next batch. The newest batch was planned and
    perhaps written, but no commit says that it is done. Which batch does Spark run, and with which offsets?
    """
    return _say(**start, done=lambda batch, offsets, commits: True)


def without_commits_it_is_new(**start: Any) -> dict[str, Any]:
    """First batch planned, start called new

    Your answer calls a start new although there is an entry for batch 0. The batch was planned with these offsets
    and may have been written; without a commit it runs again. Which of the two logs decides whether a query is
    new?
    """
    return _say(**start) if start["commits"] else {"start": "new", "batch": 0}


def first_word_of_a_type(**start: Any) -> dict[str, Any]:
    """Only the first word of a type compared

    Your answer accepts a start in which `interval day to second` becomes `interval year to month`. Everything
    after the name is the type, and `column.split(" ", 1)` splits at the first space only. Which part of the column
    do you compare?
    """
    return _say(**start, shape=lambda columns: [column.split()[1] for column in columns])


def names_compared(**start: Any) -> dict[str, Any]:
    """Names of columns compared, not only types

    Your answer refuses a start in which a column only has another name. State has types and positions: a column
    `site` is accepted in the position of `page` if the type is the same. If the meaning has changed too, Spark
    reads the old values wrongly and does not notice. Which part of `"page string"` is the type?
    """
    return _say(**start, shape=list)


def order_not_compared(**start: Any) -> dict[str, Any]:
    """Order of the types ignored

    Your answer accepts a start in which two columns of different types are exchanged. Spark reads a state row by
    position. Does your comparison keep the order?
    """
    return _say(**start, shape=lambda columns: sorted(_types(columns)))


def how_many_columns(**start: Any) -> dict[str, Any]:
    """Number of columns compared, types ignored

    Your answer accepts a start in which a column has another type. Spark compares the number of columns and the
    type of each. Where do you compare the types?
    """
    return _say(**start, shape=len)


def topics_not_asked(**start: Any) -> dict[str, Any]:
    """Recreated topic not noticed

    Your answer accepts a start although a topic ends before the offset in the checkpoint, or is missing. In its
    first batch Spark asks Kafka for each partition, and stops if one is short or missing. Where do you compare
    offsets with `topics`?
    """
    return _say(**start, lost=lambda lines, query, topics: False)


def ends_just_there(**start: Any) -> dict[str, Any]:
    """Topic without new records called lost

    Your answer refuses a start in which a partition ends exactly at the offset of the checkpoint. An offset in the
    log is the *next* one: nothing is new, and nothing is missing. Is your comparison `<` or `<=`?
    """

    def lost(lines: list[str], query: Checkpoint, topics: Checkpoint) -> bool:
        less = {t: {p: end - 1 for p, end in of.items()} for t, of in topics.items()}
        return _lost(lines, query, less)

    return _say(**start, lost=lost)


def sources_in_any_order(**start: Any) -> dict[str, Any]:
    """Order of the sources ignored

    Your answer accepts a start in which two sources are exchanged. Without names, line 1 of the offsets belongs to
    the first source of the query. Here the kiosk would get the offsets of the clicks. Which topics may line n
    contain?
    """

    def lost(lines: list[str], query: Checkpoint, topics: Checkpoint) -> bool:
        every = [topic for reads in query["sources"] for topic in reads]
        return _lost(lines, {"sources": [every] * len(lines)}, topics)

    return _say(**start, lost=lost)


def readers_not_asked(**start: Any) -> dict[str, Any]:
    """Topic that the source no longer reads not noticed

    Your answer accepts a start in which no source reads the topic of an offset. It is not enough that Kafka has
    the topic: line n of the offsets belongs to source n of the query. Does this source read the topic?
    """

    def lost(lines: list[str], query: Checkpoint, topics: Checkpoint) -> bool:
        return _lost(lines, {"sources": [topics] * len(lines)}, topics)

    return _say(**start, lost=lost)


def silent_source_not_counted(**start: Any) -> dict[str, Any]:
    """Source without an offset not counted

    Your answer does not count the line `-`. It belongs to a source that has no offset yet, and Spark counts it as
    a source. How many lines does the entry have after the second?
    """

    def sources(lines: list[str], query: Checkpoint) -> bool:
        return len([line for line in lines if line != "-"]) != len(query["sources"])

    return _say(**start, sources=sources)


def last_entry_listed(**start: Any) -> dict[str, Any]:
    """Last entry of the dict taken for the newest

    If the log is listed from the newest entry to the oldest, your answer uses the oldest. The logs may be in any
    order. Which number does the newest entry have?
    """
    return _say(**start, newest=lambda offsets: list(offsets)[-1])


def last_commit_listed(**start: Any) -> dict[str, Any]:
    """Last commit of the list taken for the newest

    If the commits are listed from the newest to the oldest, your answer repeats a batch that is committed. The
    list may be in any order. Is the number of the newest entry anywhere in it?
    """
    return _say(**start, done=lambda batch, offsets, commits: commits[-1:] == [batch])


def commits_counted(**start: Any) -> dict[str, Any]:
    """Numbers of commits and entries compared

    If the commit of an old batch was deleted before its entry, your answer repeats a batch. If there are as many
    commits as entries, it continues although the newest entry has no commit. The count of either log says nothing.
    Is the number of the *newest* entry among the commits?
    """
    return _say(**start, done=lambda batch, offsets, commits: len(commits) >= len(offsets))


def oldest_without_a_commit(**start: Any) -> dict[str, Any]:
    """Old batch without a commit repeated

    The commit of an old batch was deleted before its entry, and your answer repeats that batch. Batches run one
    after the other, so all batches before the newest are done. For which entry does a missing commit matter?
    """
    said = _say(**start)
    missing = {int(number) for number in start["offsets"]} - set(start["commits"])
    if said["start"] in ("again", "next") and missing:
        return {"start": "again", "batch": min(missing)}
    return said


def settings_counted_as_a_source(**start: Any) -> dict[str, Any]:
    """Line of settings counted as a source

    Your answer refuses most starts because of their sources, even if the entry has a line for each source of the
    query. The first two lines are the version and the JSON of the settings. Where do the lines of the sources
    begin?
    """
    return _say(**start, sources=lambda lines, query: len(lines) + 1 != len(query["sources"]))


def first_source_only(**start: Any) -> dict[str, Any]:
    """Topic of the second source not compared

    Your answer accepts a start although the topic of the second source ends before its offset. Each source has a
    line. Do you read all of them?
    """
    return _say(**start, lost=lambda lines, query, topics: _lost(lines[:1], query, topics))


def first_topic_only(**start: Any) -> dict[str, Any]:
    """Second topic of a source not compared

    Your answer accepts a start although the second topic in a line ends before its offset. A source may read
    several topics, and all of them are in its line. Do you compare each one?
    """

    def lost(lines: list[str], query: Checkpoint, topics: Checkpoint) -> bool:
        read = [{} if line == "-" else json.loads(line) for line in lines]
        first = [json.dumps(dict(list(of.items())[:1])) for of in read]
        return _lost(first, query, topics)

    return _say(**start, lost=lost)


def new_partition_refused(**start: Any) -> dict[str, Any]:
    """New partition called lost

    Your answer refuses a start in which a topic has one partition more than the checkpoint. Nothing of it has been
    read, so nothing can be missing: Spark reads it from its first record. Whose partitions do you have to go
    through: those of the entry, or those of Kafka?
    """

    def lost(lines: list[str], query: Checkpoint, topics: Checkpoint) -> bool:
        read = [{} if line == "-" else json.loads(line) for line in lines]
        more = any(topics.get(t, {}).keys() - parts for of in read for t, parts in of.items())
        return more or _lost(lines, query, topics)

    return _say(**start, lost=lost)


def partitions_added_up(**start: Any) -> dict[str, Any]:
    """Offsets of the partitions added up

    Your answer accepts a start in which partition 0 ends before its offset and partition 1 far after its own. Each
    partition counts its own offsets. What does the sum hide here?
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
    """Order of the operators ignored

    Your answer accepts a start in which two operators are exchanged. Spark numbers the operators and compares them
    by number. Does your comparison keep the order?
    """
    return _say(**start, names=sorted)


def commit_before_all_else(**start: Any) -> dict[str, Any]:
    """Missing commit reported before a refusal

    Your answer repeats a batch although Spark refuses the start. To repeat a batch the query needs its sources,
    topics and state, as for any other batch. Which rules come before `"again"`?
    """
    return _say(**start, committed_first=True)


def operator_by_operator(**start: Any) -> dict[str, Any]:
    """Key and value compared operator by operator

    The first operator has another value and the second another key, and your answer says `"value"`. The rules are
    in order: rule 4 looks at the keys of all operators before rule 5 looks at any value. Which loop has to be the
    outer one?
    """
    said = _say(**start)
    if said["start"] in ("key", "value"):
        for was, now in zip(start["state"], start["query"]["state"], strict=True):
            for part in ("key", "value"):
                if _types(was[part]) != _types(now[part]):
                    return {"start": part, "batch": None}
    return said
