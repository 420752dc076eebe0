"""Spark on one machine starts processes for small things; here it does them within those that run."""

from __future__ import annotations

from typing import Any

from grader.runtime.python_workers import fork_workers


def start_fewer_processes(context: Any) -> None:
    """Let this SparkContext's driver start fewer processes: Python workers, and `rm` for each folder."""
    fork_workers(context)
    delete_within_java(context._jvm)


def delete_within_java(jvm: Any, so: bool = True) -> None:
    """Let Java delete folders itself; with so=False as Spark does it.

    Spark runs `rm -rf` for each, made for large ones (JavaUtils.deleteRecursively in 4.2.0). A state store in
    RocksDB deletes small ones at every load, commit and close.
    """
    name = "org.apache.spark.network.util.JavaUtils"
    found = jvm.org.apache.spark.util.Utils.classForName(name, True, False)
    found.getDeclaredField("isUnix").setBoolean(None, not so)  # nothing else asks again
