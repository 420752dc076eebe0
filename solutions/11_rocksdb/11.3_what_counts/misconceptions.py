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
    Those are read anew at every start: they are the ones that you may change.
    """
    pinned = _pinned(entry)
    others = [name for name in session if session[name] != pinned.get(name)]
    return _told({**session, **pinned}, others)


def two_settings_only(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Only partitions and provider are looked at

    A setting is missing from the ignored. The entry pins more than those two: the policy for
    several watermarks, the codec of the state's files, row checksums. Whatever stands in its
    `conf` is pinned.
    """
    pinned = _pinned(entry)
    ignored = [name for name in _differing(pinned, session) if name in (PARTITIONS, PROVIDER)]
    return _told({**session, **pinned}, ignored)


def nothing_but_the_entry(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """What is not pinned is up to the session

    Where the entry does not pin the partitions or the provider you give Spark's default, whatever
    the session says. An entry of an old Spark pins fewer settings; then the session decides.
    """
    pinned = _pinned(entry)
    return _told(pinned, _differing(pinned, session))
