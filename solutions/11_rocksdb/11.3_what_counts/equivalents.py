"""Other right ways to say what counts."""

import json
from collections import ChainMap
from typing import Any


def with_a_chain_of_maps(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Looks into the checkpoint, then into the session, then at Spark's defaults."""
    _version, about, *_offsets = entry.split("\n")
    pinned = json.loads(about).get("conf", {})
    defaults = {
        "spark.sql.shuffle.partitions": "200",
        "spark.sql.streaming.stateStore.providerClass": "HDFSBackedStateStoreProvider",
    }
    counts = ChainMap(pinned, session, defaults)
    provider = counts["spark.sql.streaming.stateStore.providerClass"].split(".")[-1]
    return {
        "ignored": [name for name in sorted(session) if counts[name] != session[name]],
        "provider": {"RocksDBStateStoreProvider": "RocksDB"}.get(provider, "heap"),
        "stores": int(counts["spark.sql.shuffle.partitions"]),
    }


def setting_by_setting(entry: str, session: dict[str, str]) -> dict[str, Any]:
    """Asks of each setting by itself, with plain ifs."""
    about = json.loads(entry.splitlines()[1])
    pinned = about.get("conf", {})
    ignored = []
    for name, value in session.items():
        if name in pinned and pinned[name] != value:
            ignored.append(name)
    stores, provider = "200", ""
    for settings in (session, pinned):
        stores = settings.get("spark.sql.shuffle.partitions", stores)
        provider = settings.get("spark.sql.streaming.stateStore.providerClass", provider)
    in_rocksdb = provider.endswith("RocksDBStateStoreProvider")
    ignored.sort()
    return {
        "stores": int(stores),
        "provider": "RocksDB" if in_rocksdb else "heap",
        "ignored": ignored,
    }
