"""Answers to 13.2: other ways to read a checkpoint, and to misread one."""

import json
import re
from typing import Any

Ends = dict[tuple[str, str], int]


class _Refused(Exception):
    pass


def _flat(topics: dict[str, dict[str, int]]) -> Ends:
    return {(t, p): offset for t, of in topics.items() for p, offset in of.items()}


def _lines(entry: str) -> list[dict[str, dict[str, int]]]:
    return [{} if line == "-" else json.loads(line) for line in entry.splitlines()[2:]]


def _types(side: list, part: str) -> list[list[str]]:
    return [[column.partition(" ")[2] for column in one[part]] for one in side]


def _names(side: list) -> list[str]:
    return [one["operator"] for one in side]


def _lost(read: dict, reads: list[str], topics: dict) -> bool:
    ends = _flat({topic: of for topic, of in topics.items() if topic in reads})
    return any(ends.get(place, -1) < offset for place, offset in _flat(read).items())


def _refusal(lines: list, state: list, query: dict, topics: dict, lost: Any = _lost) -> str | None:
    if len(lines) != len(query["sources"]):
        return "sources"
    if _names(state) != _names(query["state"]):
        return "operators"
    for part in ("key", "value"):
        if _types(state, part) != _types(query["state"], part):
            return part
    if any(lost(read, reads, topics) for read, reads in zip(lines, query["sources"])):
        return "topics"
    return None


def _said(offsets: dict, commits: list, state: list, query: dict, topics: dict, **but: Any) -> dict:
    if not offsets:
        return {"start": "new", "batch": 0}
    newest = max(map(int, offsets))
    refused = _refusal(_lines(offsets[str(newest)]), state, query, topics, **but)
    if refused:
        return {"start": refused, "batch": None}
    if newest in commits:
        return {"start": "next", "batch": newest + 1}
    return {"start": "again", "batch": newest}


def right_raised(offsets: dict, commits: list, state: list, query: dict, topics: dict) -> dict:
    """Raises where a start is refused, and takes what Kafka lacks from a KeyError."""
    if len(offsets) == 0:
        return dict(start="new", batch=0)
    entries = sorted((int(number), text) for number, text in offsets.items())
    newest, text = entries[-1]
    try:
        lines = text.strip().split("\n")[2:]
        if len(lines) - len(query["sources"]):
            raise _Refused("sources")
        if [(n, one["operator"]) for n, one in enumerate(state)] != [
            (n, one["operator"]) for n, one in enumerate(query["state"])
        ]:
            raise _Refused("operators")
        for part in ("key", "value"):
            for was, now in zip(state, query["state"]):
                types = [[c[c.index(" ") + 1 :] for c in side[part]] for side in (was, now)]
                if types[0] != types[1]:
                    raise _Refused(part)
        try:
            for number, line in enumerate(lines):
                read = json.loads(line) if line.startswith("{") else {}
                for topic in read:
                    query["sources"][number].index(topic)
                    for partition in read[topic]:
                        if topics[topic][partition] < read[topic][partition]:
                            raise _Refused("topics")
        except (KeyError, ValueError):
            raise _Refused("topics") from None
    except _Refused as refused:
        return dict(start=str(refused), batch=None)
    if max(commits, default=-1) < newest:
        return dict(start="again", batch=newest)
    return dict(start="next", batch=newest + 1)


def right_flat_offsets(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Makes pairs of topic and partition of all offsets, by source, and looks for what is short."""
    if not offsets:
        return {"start": "new", "batch": 0}
    number = sorted(offsets, key=int)[-1]
    lines = _lines(offsets[number])
    if len(lines) != len(query["sources"]):
        return {"start": "sources", "batch": None}
    need = {(n, *place): o for n, read in enumerate(lines) for place, o in _flat(read).items()}
    have = {
        (n, topic, partition): end
        for n, reads in enumerate(query["sources"])
        for topic in set(reads) & set(topics)
        for partition, end in topics[topic].items()
    }
    refused = _refusal([], state, {**query, "sources": []}, topics)
    if refused:
        return {"start": refused, "batch": None}
    if not need.keys() <= have.keys() or any(need[place] > have[place] for place in need):
        return {"start": "topics", "batch": None}
    done = int(number) in set(commits)
    return {"start": ("again", "next")[done], "batch": int(number) + done}


def right_types_as_one_text(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Writes the types of all operators as one text, names cut off by a regular expression."""

    def told(side: list, part: str) -> str:
        rows = ["; ".join(re.sub(r"^\S+ ", "", c) for c in one[part]) for one in side]
        return "\n".join(rows)

    if not offsets:
        return {"batch": 0, "start": "new"}
    newest = max(offsets, key=lambda name: int(name))
    lines = _lines(offsets[newest])
    if len(lines) != len(query["sources"]):
        start = "sources"
    elif "\n".join(_names(state)) != "\n".join(_names(query["state"])):
        start = "operators"
    elif told(state, "key") != told(query["state"], "key"):
        start = "key"
    elif told(state, "value") != told(query["state"], "value"):
        start = "value"
    elif any(_lost(line, query["sources"][n], topics) for n, line in enumerate(lines)):
        start = "topics"
    else:
        start = "next" if commits.count(int(newest)) else "again"
    batch = {"again": int(newest), "next": int(newest) + 1}.get(start)
    return {"batch": batch, "start": start}


def right_words_one_after_the_other(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """A generator gives every word that holds, in the order of the list; the first is taken."""

    def words() -> Any:
        if not offsets:
            yield "new", 0
            return
        newest = max(int(name) for name in offsets)
        lines = _lines(offsets[str(newest)])
        sources, wanted = query["sources"], query["state"]
        if len(lines) != len(sources):
            yield "sources", None
        if len(state) != len(wanted) or any(
            was["operator"] != now["operator"] for was, now in zip(state, wanted)
        ):
            yield "operators", None
        for part in ("key", "value"):
            if _types(state, part) != _types(wanted, part):
                yield part, None
        for read, reads in zip(lines, sources):
            for topic, partitions in read.items():
                if topic not in reads or topic not in topics:
                    yield "topics", None
                elif not all(o <= topics[topic].get(p, -1) for p, o in partitions.items()):
                    yield "topics", None
        yield ("next", newest + 1) if newest in commits else ("again", newest)

    start, batch = next(words())
    return {"start": start, "batch": batch}


def right_by_match(offsets: dict, commits: list, state: list, query: dict, topics: dict) -> dict:
    """`match` on what was found out; the lists are put in order first."""
    entries = {int(number): entry for number, entry in offsets.items()}
    if not entries:
        return {"start": "new", "batch": 0}
    *_, newest = sorted(entries)
    refused = _refusal(_lines(entries[newest]), state, query, topics)
    match refused, newest in sorted(commits):
        case None, True:
            return {"start": "next", "batch": newest + 1}
        case None, False:
            return {"start": "again", "batch": newest}
    return {"start": refused, "batch": None}


def wrong_operator_by_operator(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Asks key and value of the first operator before the key of the second: never are both wrong."""
    said = _said(offsets, commits, state, query, topics)
    if said["start"] in ("key", "value"):
        for was, now in zip(state, query["state"]):
            for part in ("key", "value"):
                if _types([was], part) != _types([now], part):
                    return {"start": part, "batch": None}
    return said


def wrong_last_entry_listed(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Takes the last entry as they are listed: "both logs may be in any order"."""
    last = {number: offsets[number] for number in list(offsets)[-1:]}
    return _said(last, commits, state, query, topics)


def wrong_logs_counted(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """As many commits as entries is taken for all done; old ones may be deleted from one log only."""
    said = _said(offsets, commits, state, query, topics)
    if said["start"] in ("again", "next"):
        newest = max(map(int, offsets))
        if len(commits) >= len(offsets):
            return {"start": "next", "batch": newest + 1}
        return {"start": "again", "batch": newest}
    return said


def wrong_oldest_without_a_commit(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Runs again the oldest entry that has no commit, which may only have been deleted."""
    said = _said(offsets, commits, state, query, topics)
    open_ones = sorted({int(number) for number in offsets} - set(commits))
    if said["batch"] is not None and open_ones:
        return {"start": "again", "batch": open_ones[0]}
    return said


def wrong_batch_of_a_refusal(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Names a batch where the start is refused: the one that was next."""
    said = _said(offsets, commits, state, query, topics)
    if said["batch"] is None:
        newest = max(map(int, offsets))
        said["batch"] = newest + (newest in commits)
    return said


def wrong_what_is_gone_ends_at_0(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """A partition that is gone ends at 0, so one of which nothing was read is not missed."""

    def lost(read: dict, reads: list[str], topics: dict) -> bool:
        return any(
            topic not in reads or topics.get(topic, {}).get(p, 0) < offset
            for (topic, p), offset in _flat(read).items()
        )

    return _said(offsets, commits, state, query, topics, lost=lost)


def wrong_topics_have_to_be_the_same(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Refuses a source that reads one topic more than the entry has."""

    def lost(read: dict, reads: list[str], topics: dict) -> bool:
        return (bool(read) and set(read) != set(reads)) or _lost(read, reads, topics)

    return _said(offsets, commits, state, query, topics, lost=lost)


def wrong_partitions_have_to_be_the_same(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Refuses a topic that has got one more partition."""

    def lost(read: dict, reads: list[str], topics: dict) -> bool:
        more = any(set(of) != set(topics.get(topic, {})) for topic, of in read.items())
        return more or _lost(read, reads, topics)

    return _said(offsets, commits, state, query, topics, lost=lost)


def wrong_ends_added_up(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Compares the sums of all partitions, so one that is short hides behind one that has more."""

    def lost(read: dict, reads: list[str], topics: dict) -> bool:
        return any(
            topic not in reads
            or not of.keys() <= topics.get(topic, {}).keys()
            or sum(topics[topic].values()) < sum(of.values())
            for topic, of in read.items()
        )

    return _said(offsets, commits, state, query, topics, lost=lost)


def wrong_operators_in_any_order(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Puts the operators in order by name before they are compared."""
    was = sorted(state, key=lambda one: one["operator"])
    now = sorted(query["state"], key=lambda one: one["operator"])
    return _said(offsets, commits, was, {**query, "state": now}, topics)


def wrong_last_word_of_a_type(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Splits a column at every space, and compares the last word only."""

    def cut(side: list) -> list:
        return [
            {
                "operator": one["operator"],
                "key": ["x " + column.split()[-1] for column in one["key"]],
                "value": ["x " + column.split()[-1] for column in one["value"]],
            }
            for one in side
        ]

    wanted = {**query, "state": cut(query["state"])}
    return _said(offsets, commits, cut(state), wanted, topics)


def wrong_entries_counted(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Numbers the next batch by how many entries there are; the oldest may be deleted."""
    said = _said(offsets, commits, state, query, topics)
    if said["start"] == "next":
        said["batch"] = len(offsets)
    return said


def wrong_number_is_a_text(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Looks for the text of a number among the numbers that are committed: it is never there."""
    if not offsets:
        return {"start": "new", "batch": 0}
    newest = max(offsets, key=int)
    refused = _refusal(_lines(offsets[newest]), state, query, topics)
    if refused:
        return {"start": refused, "batch": None}
    if newest in commits:
        return {"start": "next", "batch": int(newest) + 1}
    return {"start": "again", "batch": int(newest)}


def wrong_topics_before_the_state(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Asks Kafka before the state; Spark, and the list, compare the state first."""
    said = _said(offsets, commits, state, query, topics)
    if said["start"] in ("operators", "key", "value"):
        lines = _lines(offsets[max(offsets, key=int)])
        if any(_lost(read, reads, topics) for read, reads in zip(lines, query["sources"])):
            return {"start": "topics", "batch": None}
    return said


def wrong_last_commit_listed(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Compares with the last commit as they are listed; the logs "may be in any order"."""
    said = _said(offsets, commits, state, query, topics)
    if said["start"] in ("again", "next"):
        newest = max(map(int, offsets))
        done = bool(commits) and commits[-1] == newest
        return {"start": "next" if done else "again", "batch": newest + done}
    return said


def wrong_fewer_commits_than_entries(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Runs a batch again where the two logs are not of one length."""
    said = _said(offsets, commits, state, query, topics)
    if said["start"] in ("again", "next"):
        newest = max(map(int, offsets))
        done = len(commits) == len(offsets)
        return {"start": "next" if done else "again", "batch": newest + done}
    return said


def wrong_first_source_asked(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Holds only the first line against Kafka."""
    if len(offsets) == 0:
        return {"start": "new", "batch": 0}
    second = {topic for reads in query["sources"][1:] for topic in reads}
    endless = {t: dict.fromkeys(of, 10**9) if t in second else of for t, of in topics.items()}
    return _said(offsets, commits, state, query, endless)


def wrong_first_topic_asked(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Holds only the first topic of each line against Kafka."""

    def lost(read: dict, reads: list[str], topics: dict) -> bool:
        return _lost(dict(list(read.items())[:1]), reads, topics)

    return _said(offsets, commits, state, query, topics, lost=lost)


def wrong_the_query_names_its_first_topic(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Wants each topic of a line to be the first that the source reads."""

    def lost(read: dict, reads: list[str], topics: dict) -> bool:
        return any(topic != reads[0] for topic in read) or _lost(read, reads, topics)

    return _said(offsets, commits, state, query, topics, lost=lost)


def wrong_no_offset_is_refused(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Takes a source that has no offset yet for one whose topic is gone."""

    def lost(read: dict, reads: list[str], topics: dict) -> bool:
        return not read or _lost(read, reads, topics)

    return _said(offsets, commits, state, query, topics, lost=lost)


def wrong_settings_counted_as_a_source(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Cuts off the first line only: the JSON of the settings is taken for the first source."""
    cut = {number: "v1\n" + entry for number, entry in offsets.items()}

    def lost(read: dict, reads: list[str], topics: dict) -> bool:
        return any(topic not in reads for topic in read) or _lost(read, reads, topics)

    return _said(cut, commits, state, query, topics, lost=lost)


def wrong_operators_as_a_set(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Compares the operators as a set, then the columns of those at the same place."""
    said = _said(offsets, commits, state, query, topics)
    names = [{one["operator"] for one in side} for side in (state, query["state"])]
    if said["start"] == "operators" and names[0] == names[1]:
        for part in ("key", "value"):
            if _types(state, part) != _types(query["state"], part):
                return {"start": part, "batch": None}
    return said


def right_uses_up_what_it_gets(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Pops the entries until the newest is left, pops the sources line by line, and sorts the commits in place."""
    if not offsets:
        return {"start": "new", "batch": 0}
    number, entry = offsets.popitem()
    while offsets:
        other, text = offsets.popitem()
        if (len(other), other) > (len(number), number):
            number, entry = other, text
    lines = entry.split("\n")
    del lines[:2]
    sources, wanted = query.pop("sources"), query.pop("state")
    if len(lines) != len(sources):
        return {"start": "sources", "batch": None}
    if json.dumps(_names(state)) != json.dumps(_names(wanted)):
        return {"start": "operators", "batch": None}
    for part in "key", "value":
        before, after = (
            [[" ".join(column.split(" ")[1:]) for column in one[part]] for one in side]
            for side in (state, wanted)
        )
        if before != after:
            return {"start": part, "batch": None}
    while lines:
        line, reads = lines.pop(), sources.pop()
        for topic, partitions in json.loads("{}" if line == "-" else line).items():
            ends = topics.get(topic, {})
            if topic not in reads or any(ends.get(p, -1) < o for p, o in partitions.items()):
                return {"start": "topics", "batch": None}
    commits.sort()
    done = bool(commits) and commits[-1] == int(number)
    return {"start": "next" if done else "again", "batch": int(number) + int(done)}


def wrong_lines_without_offsets_left_out(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Counts the lines, then throws those with `-` away before it lays lines and sources side by side.

    Where the first of two sources has no offset yet, the second one's are looked for among the topics of the first.
    """
    said = _said(offsets, commits, state, query, topics, lost=lambda *_: False)
    if said["batch"] is not None and offsets:
        read = filter(None, _lines(offsets[max(offsets, key=int)]))
        if any(_lost(line, reads, topics) for line, reads in zip(read, query["sources"])):
            return {"start": "topics", "batch": None}
    return said


def wrong_partitions_side_by_side(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Lays the offsets of a topic and its ends side by side, as they are listed, and not by partition."""

    def lost(read: dict, reads: list[str], topics: dict) -> bool:
        for topic, partitions in read.items():
            ends = list(topics.get(topic, {}).values())
            if topic not in reads or len(ends) < len(partitions):
                return True
            if any(end < offset for offset, end in zip(partitions.values(), ends)):
                return True
        return False

    return _said(offsets, commits, state, query, topics, lost=lost)


def wrong_operators_by_their_name(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Puts the operators into a dict by their names: of two of one name only the last is compared."""

    def last(side: list) -> list:
        by_name = {one["operator"]: one for one in side}
        return [by_name[name] for name in _names(side)]

    wanted = {**query, "state": last(query["state"])}
    return _said(offsets, commits, last(state), wanted, topics)


def wrong_topic_of_two_sources_read_once(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Notes the offset of each topic in one dict, in which a second source of the topic writes over the first

    Differs for two sources that read clicks, at 50 and at 30, where it ends at 40.
    """
    need: dict[str, dict[str, int]] = {}
    for line in _lines(offsets[max(offsets, key=int)]) if offsets else []:
        need |= line

    def lost(read: dict, reads: list[str], topics: dict) -> bool:
        return _lost({topic: need[topic] for topic in read}, reads, topics)

    return _said(offsets, commits, state, query, topics, lost=lost)


def wrong_the_last_topic_decides(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Notes for each topic whether it is lost, in one variable that the next topic of the source writes over."""

    def lost(read: dict, reads: list[str], topics: dict) -> bool:
        gone = False
        for topic, partitions in read.items():
            gone = _lost({topic: partitions}, reads, topics)
        return gone

    return _said(offsets, commits, state, query, topics, lost=lost)


def wrong_planned_is_not_held_against_kafka(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Holds Kafka against the entry of the last committed batch, and not against the newest entry

    Differs where batch 7, planned up to 120, has no commit, batch 6 ended at 110, and the topic ends at 115.
    """
    said = _said(offsets, commits, state, query, topics)
    if said["start"] != "topics":
        return said
    done = {number: entry for number, entry in offsets.items() if int(number) in commits}
    before = _said(done or offsets, commits, state, query, topics)
    return (
        before
        if before["start"] == "topics"
        else {"start": "again", "batch": max(map(int, offsets))}
    )


def wrong_a_column_less_is_fine(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Compares as many columns as the new version has, so that one that it leaves off at the end is not missed."""
    cut = state
    if _names(state) == _names(query["state"]):
        cut = [
            {**was, **{part: was[part][: len(now[part])] for part in ("key", "value")}}
            for was, now in zip(state, query["state"])
        ]
    return _said(offsets, commits, cut, query, topics)


def wrong_letters_of_a_type(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Reads a type up to its bracket: decimal(10,2) and decimal(20,2) are the same then."""

    def short(side: list) -> list:
        return [
            {
                **one,
                **{part: [re.split(r"[(<]", c)[0] for c in one[part]] for part in ("key", "value")},
            }
            for one in side
        ]

    shorter = {**query, "state": short(query["state"])}
    return _said(offsets, commits, short(state), shorter, topics)


def wrong_nothing_kept_is_nothing_to_compare(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Compares operators only where the checkpoint knows any: a first aggregation is let through."""
    wanted = query if state else {**query, "state": []}
    return _said(offsets, commits, state, wanted, topics)


def wrong_operators_before_the_log(
    offsets: dict, commits: list, state: list, query: dict, topics: dict
) -> dict:
    """Compares the operators before it asks whether there is an offset log at all: an empty checkpoint is new."""
    if _names(state) != _names(query["state"]) and not offsets:
        return {"start": "operators", "batch": None}
    return _said(offsets, commits, state, query, topics)
