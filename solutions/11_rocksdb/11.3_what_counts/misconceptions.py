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
    """What the session says is taken for what counts

    Stores and provider follow the session also where the entry pins other ones. Run your function
    on the checkpoint from above, which was restarted with 8 partitions: how many stores did its
    progress tell of?
    """
    return _told({**_pinned(entry), **session}, _differing(_pinned(entry), session))


def all_that_is_pinned(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Also what the two agree on is called ignored

    A setting is among the ignored although session and checkpoint say the same. Nobody is
    surprised by that one. Ignored is what the session wants otherwise.
    """
    pinned = _pinned(entry)
    return _told({**session, **pinned}, [name for name in session if name in pinned])


def pinned_and_not_said(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Settings that the session does not name

    Among the ignored are settings that only the entry has. The session asks nothing of them, so
    there is nothing to ignore.
    """
    pinned = _pinned(entry)
    others = [name for name in pinned if session.get(name) != pinned[name]]
    return _told({**session, **pinned}, others)


def all_that_the_session_says(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Settings that no checkpoint pins

    Among the ignored are settings that the entry does not have, such as the one for changelogs.
    Ignored is what loses against the checkpoint: a setting that it pins, with another value.
    """
    pinned = _pinned(entry)
    others = [name for name in session if session[name] != pinned.get(name)]
    return _told({**session, **pinned}, others)


def two_settings_only(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Only partitions and provider are ever ignored

    A setting is missing from the ignored. The entry pins more than those two: the policy for
    several watermarks, the codec of the state's files, row checksums. Whatever stands in its
    `conf` is pinned.
    """
    pinned = _pinned(entry)
    ignored = [name for name in _differing(pinned, session) if name in (PARTITIONS, PROVIDER)]
    return _told({**session, **pinned}, ignored)


def those_of_the_table(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Only settings that the lesson names are ever ignored

    Settings are missing from the ignored of which the lesson does not speak: the version of RocksDB's files,
    a rule of the optimizer. The lesson gives examples. Whatever stands in `conf` is pinned, and the next
    Spark may pin more.
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
    """A setting of RocksDB's is pinned, too

    A setting is missing from the ignored that has rocksdb in its key: the version of its files. Most settings
    of RocksDB are of the query or of the process. What decides is not the key's name, but whether it stands
    in `conf`.
    """
    pinned = _pinned(entry)
    ignored = [name for name in _differing(pinned, session) if "rocksdb" not in name]
    return _told({**session, **pinned}, ignored)


def settings_of_streaming_only(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """A setting of the optimizer is pinned, too

    A setting is missing from the ignored whose key does not begin with `spark.sql.streaming`. What decides is
    not how a key begins, but whether it stands in `conf`.
    """
    pinned = _pinned(entry)
    ignored = [name for name in _differing(pinned, session) if ".optimizer." not in name]
    return _told({**session, **pinned}, ignored)


def nothing_but_the_entry(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """What is not pinned is up to the session

    Where the entry does not pin the partitions or the provider you give Spark's default, whatever
    the session says. An entry of an old Spark pins fewer settings; then the session decides.
    """
    pinned = _pinned(entry)
    return _told(pinned, _differing(pinned, session))
