"""Wrong ideas of which setting a restarted query takes."""

import json
from typing import Any

PARTITIONS = "spark.sql.shuffle.partitions"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"


def _pinned(entry: str) -> dict[str, str]:
    conf: dict[str, str] = json.loads(entry.splitlines()[1]).get("conf", {})
    return conf


def _told(counts: dict[str, str], ignored: list[str]) -> dict[str, Any]:
    return {
        "stores": int(counts.get(PARTITIONS, "200")),
        "provider": "RocksDB" if "RocksDB" in counts.get(PROVIDER, "") else "heap",
        "ignored": sorted(ignored),
    }


def _differing(pinned: dict[str, str], session: dict[str, str]) -> list[str]:
    return [name for name in session if name in pinned and session[name] != pinned[name]]


def the_session_decides(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Session settings before pinned settings

    Stores and provider follow the session, even if the entry pins other values. Call your
    function for the checkpoint above, which was restarted with 8 partitions. How many stores did
    its progress report show?
    """
    return _told({**_pinned(entry), **session}, _differing(_pinned(entry), session))


def all_that_is_pinned(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Equal values called ignored

    A setting is in `ignored` although session and checkpoint have the same value. A setting is
    ignored only if the session wants a different value. What do you compare?
    """
    pinned = _pinned(entry)
    return _told({**session, **pinned}, [name for name in session if name in pinned])


def pinned_and_not_said(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Settings that the session does not have

    `ignored` has settings that are only in the entry. The session asks for no value there, so
    Spark ignores nothing. Over which of the two dicts does your loop run?
    """
    pinned = _pinned(entry)
    others = [name for name in pinned if session.get(name) != pinned[name]]
    return _told({**session, **pinned}, others)


def all_that_the_session_says(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Settings that no checkpoint pins

    `ignored` has settings that the entry does not pin, such as the one for changelogs. A setting
    is ignored if the checkpoint pins it with a different value. Does your function ask whether it
    is pinned?
    """
    pinned = _pinned(entry)
    others = [name for name in session if session[name] != pinned.get(name)]
    return _told({**session, **pinned}, others)


def two_settings_only(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Only partitions and provider compared

    A setting is missing from `ignored`. The entry pins more than these two: the policy for
    several watermarks, the compression codec, row checksums. Every name in `conf` is pinned.
    Which names does your function compare?
    """
    pinned = _pinned(entry)
    ignored = [name for name in _differing(pinned, session) if name in (PARTITIONS, PROVIDER)]
    return _told({**session, **pinned}, ignored)


def those_of_the_table(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Only the settings of the lesson's table compared

    `ignored` lacks settings that this lesson does not name: the format version of RocksDB's
    files, a rule of the optimizer. The table gives examples. Every name in `conf` is pinned, and
    the next Spark may pin more. Where does your list of names come from?
    """
    pinned = _pinned(entry)
    named = (
        PARTITIONS,
        PROVIDER,
        "spark.sql.streaming.multipleWatermarkPolicy",
        "spark.sql.streaming.stateStore.rowChecksum.enabled",
        "spark.sql.streaming.stateStore.compression.codec",
    )
    ignored = [name for name in _differing(pinned, session) if name in named]
    return _told({**session, **pinned}, ignored)


def nothing_of_rocksdb(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Pinned setting of RocksDB passed over

    `ignored` lacks a setting with rocksdb in its key: the format version of its files. Most
    settings of RocksDB belong to the query or to the process, but this one is in `conf`. What
    decides whether a setting is pinned?
    """
    pinned = _pinned(entry)
    ignored = [name for name in _differing(pinned, session) if "rocksdb" not in name]
    return _told({**session, **pinned}, ignored)


def settings_of_streaming_only(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Pinned setting of the optimizer passed over

    `ignored` lacks a setting whose key does not begin with `spark.sql.streaming`. The beginning
    of a key decides nothing. What decides whether a setting is pinned?
    """
    pinned = _pinned(entry)
    ignored = [name for name in _differing(pinned, session) if ".optimizer." not in name]
    return _told({**session, **pinned}, ignored)


def nothing_but_the_entry(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Default value instead of the session's value

    If the entry does not pin the partitions or the provider, your function returns Spark's
    default, whatever the session says. An entry of an old Spark pins fewer settings. Which value
    applies to those that it does not pin?
    """
    pinned = _pinned(entry)
    return _told(pinned, _differing(pinned, session))


def no_defaults(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Missing default for the partitions

    `stores` is None if neither the entry nor the session has the number of partitions. Spark has
    a default for this setting. Which one does the task give?
    """
    pinned = _pinned(entry)
    counts = {**session, **pinned}
    told = _told(counts, _differing(pinned, session))
    return told if PARTITIONS in counts else {**told, "stores": None}


def the_longest_line(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Longest line taken for the settings

    An entry whose offsets make the longest line pins nothing in your result. A topic with many
    partitions has long offsets. In which line of an entry is the JSON with `conf`?
    """
    pinned: dict[str, str] = json.loads(max(entry.splitlines(), key=len)).get("conf", {})
    return _told({**session, **pinned}, _differing(pinned, session))


def true_in_any_case(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Comparison that ignores case

    "TRUE" and "true" are equal in your result. The task compares values as strings. Where does
    your function change a value before it compares it?
    """
    pinned = _pinned(entry)
    ignored = [
        name
        for name in _differing(pinned, session)
        if session[name].lower() != pinned[name].lower()
    ]
    return _told({**session, **pinned}, ignored)


def in_the_order_of_the_session(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Unsorted list of ignored settings

    `ignored` has the right names in the order of the session. The task requires them sorted by
    name. Which function returns a sorted list?
    """
    pinned = _pinned(entry)
    told = _told({**session, **pinned}, [])
    return {**told, "ignored": _differing(pinned, session)}
