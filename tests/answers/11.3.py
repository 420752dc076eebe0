"""Answers to 11.3: what a restart takes, found in other ways, and other things taken for it."""

import json
from typing import Any

import pandas as pd

PARTITIONS = "spark.sql.shuffle.partitions"
PROVIDER = "spark.sql.streaming.stateStore.providerClass"
PACKAGE = "org.apache.spark.sql.execution.streaming.state."


def _pinned(entry: str) -> dict[str, str]:
    conf: dict[str, str] = json.loads(entry.splitlines()[1]).get("conf", {})
    return conf


def _kind(provider: str) -> str:
    return "RocksDB" if provider.endswith("RocksDBStateStoreProvider") else "heap"


def _told(counts: dict[str, str], ignored: Any) -> dict[str, Any]:
    stores = int(counts.get(PARTITIONS, 200))
    return {"stores": stores, "provider": _kind(counts.get(PROVIDER, "")), "ignored": ignored}


def _differing(entry: str, session: dict[str, str]) -> list[str]:
    pinned = _pinned(entry)
    return sorted(name for name in session if pinned.get(name, session[name]) != session[name])


def right_three_layers(entry: str, session: dict[str, str]) -> dict:
    """Defaults, over them the session, over both the checkpoint; ignored is what did not come through."""
    pinned = _pinned(entry)
    defaults = {PARTITIONS: "200", PROVIDER: PACKAGE + "HDFSBackedStateStoreProvider"}
    holds = defaults | session | pinned
    ignored = sorted(name for name, wanted in session.items() if holds[name] != wanted)
    heap = "HDFSBacked" in holds[PROVIDER]
    return {
        "ignored": ignored,
        "stores": int(holds[PARTITIONS]),
        "provider": "heap" if heap else "RocksDB",
    }


def right_with_sets(entry: str, session: dict[str, str]) -> dict:
    """Takes the pairs that both have from the names that both have."""
    about = json.loads(entry.split("\n", maxsplit=2)[1])
    pinned = about["conf"] if "conf" in about else {}
    agreed = {name for name, _ in session.items() & pinned.items()}
    ignored = (session.keys() & pinned.keys()) - agreed
    stores = pinned.get(PARTITIONS) or session.get(PARTITIONS) or 200
    provider = pinned.get(PROVIDER) or session.get(PROVIDER) or "HDFSBackedStateStoreProvider"
    kinds = {"RocksDBStateStoreProvider": "RocksDB", "HDFSBackedStateStoreProvider": "heap"}
    return {
        "stores": int(stores),
        "provider": kinds[provider.rpartition(".")[2]],
        "ignored": sorted(ignored),
    }


def right_asks_one_setting_after_the_other(entry: str, session: dict[str, str]) -> dict:
    """A helper that says for a name what holds, and whether the session is passed over."""
    pinned = _pinned(entry)

    def holds(name: str, default: str) -> str:
        for settings in (pinned, session):
            if name in settings:
                return settings[name]
        return default

    passed_over = filter(lambda name: holds(name, "") != session[name], session)
    return {
        "stores": int(holds(PARTITIONS, "200")),
        "provider": "RocksDB" if "RocksDB" in holds(PROVIDER, "") else "heap",
        "ignored": sorted(passed_over),
    }


def right_with_pandas(entry: str, session: dict[str, str]) -> dict:
    """Two columns, one for what is wanted and one for what is pinned."""
    pinned = _pinned(entry)
    names = sorted(session)
    table = pd.DataFrame(
        {
            "name": pd.Series(names, dtype=object),
            "wanted": pd.Series([session[name] for name in names], dtype=object),
            "held": pd.Series([pinned.get(name) for name in names], dtype=object),
        }
    )
    passed_over = table[table["held"].notna() & (table["held"] != table["wanted"])]
    return _told(session | pinned, passed_over["name"].tolist())


def right_what_is_taken_out_again(entry: str, session: dict[str, str]) -> dict:
    """Goes through what is pinned, and takes it out of a copy of the session."""
    left = dict(session)
    ignored = []
    stores, provider = "200", "heap"
    pinned = _pinned(entry)
    for name in sorted(pinned):
        wanted = left.pop(name, None)
        if wanted is not None and wanted != pinned[name]:
            ignored.append(name)
    for settings in (left, pinned):
        stores = settings.get(PARTITIONS, stores)
        if PROVIDER in settings:
            provider = _kind(settings[PROVIDER])
    return {"stores": int(stores), "provider": provider, "ignored": ignored}


def wrong_last_line(entry: str, session: dict[str, str]) -> dict:
    """Reads the last line, the offsets, which pins nothing and may be a dash."""
    pinned = json.loads(entry.splitlines()[-1]).get("conf", {})
    ignored = [name for name in session if name in pinned and pinned[name] != session[name]]
    return _told({**session, **pinned}, sorted(ignored))


def wrong_every_entry_has_a_conf(entry: str, session: dict[str, str]) -> dict:
    """["conf"] without a default: an entry of an old Spark may have none."""
    pinned = json.loads(entry.splitlines()[1])["conf"]
    ignored = [name for name in session if name in pinned and pinned[name] != session[name]]
    return _told({**session, **pinned}, sorted(ignored))


def wrong_rocksdb_unless_the_heap_is_named(entry: str, session: dict[str, str]) -> dict:
    """Looks for the heap's class: where nobody names a provider RocksDB comes out."""
    counts = {**session, **_pinned(entry)}
    told = _told(counts, _differing(entry, session))
    named = counts.get(PROVIDER, "").endswith("HDFSBackedStateStoreProvider")
    return {**told, "provider": "heap" if named else "RocksDB"}


def wrong_session_only_without_a_conf(entry: str, session: dict[str, str]) -> dict:
    """Asks the session only where the entry pins nothing at all.

    "An entry of an old Spark may lack the partitions or the provider": then the session decides about it.
    """
    return _told(_pinned(entry) or session, _differing(entry, session))


def wrong_those_of_the_table(entry: str, session: dict[str, str]) -> dict:
    """Among the ignored only the five names that the lesson's table has.

    "all that is there, under whatever name".
    """
    table = {
        PARTITIONS,
        PROVIDER,
        "spark.sql.streaming.stateStore.rowChecksum.enabled",
        "spark.sql.streaming.stateStore.compression.codec",
        "spark.sql.streaming.multipleWatermarkPolicy",
    }
    ignored = [name for name in _differing(entry, session) if name in table]
    return _told({**session, **_pinned(entry)}, ignored)


def wrong_those_of_the_state_store(entry: str, session: dict[str, str]) -> dict:
    """Among the ignored only settings of the state store: the partitions are missing, and the policy."""
    ignored = [name for name in _differing(entry, session) if ".stateStore." in name]
    return _told({**session, **_pinned(entry)}, ignored)


def wrong_in_the_order_of_the_session(entry: str, session: dict[str, str]) -> dict:
    """The ignored names as they come, not sorted."""
    pinned = _pinned(entry)
    ignored = [name for name in session if pinned.get(name, session[name]) != session[name]]
    return _told({**session, **pinned}, ignored)


def wrong_a_text_for_the_stores(entry: str, session: dict[str, str]) -> dict:
    """stores as the text that stands in the settings; "a number" is asked for."""
    told = _told({**session, **_pinned(entry)}, _differing(entry, session))
    return {**told, "stores": str(told["stores"])}


def wrong_what_is_pinned_for_what_is_wanted(entry: str, session: dict[str, str]) -> dict:
    """Among the ignored the pinned values, not the names."""
    pinned = _pinned(entry)
    ignored = sorted(pinned[name] for name in _differing(entry, session))
    return _told({**session, **pinned}, ignored)


def wrong_none_if_nothing_is_ignored(entry: str, session: dict[str, str]) -> dict:
    """None in place of an empty list."""
    return _told({**session, **_pinned(entry)}, _differing(entry, session) or None)


class _Settings(dict):
    """A dict that knows Spark's defaults for two settings."""

    def __missing__(self, name: str) -> str:
        return {PARTITIONS: "200", PROVIDER: "HDFSBackedStateStoreProvider"}[name]


def right_a_dict_with_defaults(entry: str, session: dict[str, str]) -> dict:
    """A dict with __missing__; the kind of the provider by what stands before StateStoreProvider."""
    pinned = json.loads(entry.split("\n")[1]).get("conf", {})
    holds = _Settings(session | pinned)
    kind = holds[PROVIDER].rpartition(".")[-1].removesuffix("StateStoreProvider")
    ignored = [name for name in session if name in pinned]
    ignored = [name for name in ignored if pinned[name] != session[name]]
    ignored.sort()
    return dict(
        provider={"HDFSBacked": "heap"}.get(kind, kind),
        stores=int(holds[PARTITIONS]),
        ignored=ignored,
    )


def right_with_a_raw_decoder(entry: str, session: dict[str, str]) -> dict:
    """Cuts the version off, and lets the decoder read one JSON from what is behind it."""
    _, _, rest = entry.partition("\n")
    about, _end = json.JSONDecoder().raw_decode(rest)
    pinned = about.get("conf", {})
    settings = dict(session)
    settings.update(pinned)
    changed = [name for name in settings if name in session and settings[name] != session[name]]
    return _told(settings, sorted(changed))


def wrong_longest_line(entry: str, session: dict[str, str]) -> dict:
    """Takes the longest line for the JSON with the settings.

    The offsets of a topic with a hundred partitions are longer: nothing is pinned then.
    """
    pinned = json.loads(max(entry.splitlines(), key=len)).get("conf", {})
    ignored = [name for name in session if pinned.get(name, session[name]) != session[name]]
    return _told(session | pinned, sorted(ignored))


def wrong_only_version_one(entry: str, session: dict[str, str]) -> dict:
    """Reads entries of version v1 only, and takes nothing for pinned in others: Spark 4.2 writes v2, too."""
    if entry.startswith("v1"):
        return _told({**session, **_pinned(entry)}, _differing(entry, session))
    return _told(session, [])


def wrong_true_in_any_case(entry: str, session: dict[str, str]) -> dict:
    """Compares values in small letters: "TRUE" for a pinned "true" is another text, and ignored."""
    lower = {name: text.lower() for name, text in session.items()}
    same = {name for name, text in _pinned(entry).items() if lower.get(name) == text.lower()}
    ignored = [name for name in _differing(entry, session) if name not in same]
    return _told({**session, **_pinned(entry)}, ignored)
