"""Settings of a session whose executors run on other machines or in other containers."""

import os
import time
from pathlib import Path
from typing import Any

from grader.errors import SetupError
from grader.runtime.java_properties import read_properties
from grader.runtime.spark_internals.context_internals import executor_count

EXECUTOR_SECONDS = 90


def spark_master() -> str:
    """The master that sessions use: GRADER_SPARK_MASTER, else all cores of this machine."""
    return os.environ.get("GRADER_SPARK_MASTER") or "local[*]"


def wait_for_executor(context: Any) -> None:
    """Wait until a cluster has given this SparkContext an executor. Raises SetupError with the fix.

    Without an executor every query waits silently, and a check would report a query that does not end.
    """
    deadline = time.monotonic() + EXECUTOR_SECONDS
    while not executor_count(context):
        if time.monotonic() > deadline:
            raise SetupError(
                f"{context.master} gave this session no executor in {EXECUTOR_SECONDS} s: most likely "
                "others hold them all. Shut down a notebook that you do not need (Kernel → Shut Down "
                "Kernel) and start again, or give the workers more room (docs/cluster.md)."
            )
        time.sleep(0.1)


def shared_folder() -> Path | None:
    """The folder that driver and workers see under one path (GRADER_CHECKPOINTS), if one is named."""
    given = os.environ.get("GRADER_CHECKPOINTS")
    if not given:
        return None
    folder = Path(given)
    if not (folder.is_dir() and os.access(folder, os.W_OK)):
        raise SetupError(
            f"GRADER_CHECKPOINTS={given} is not a folder that can be written. Mount one there that "
            "the driver and all workers see under this path, or unset it for Spark on this machine."
        )
    return folder


def given_settings() -> dict[str, str]:
    """The settings of the file that GRADER_SPARK_CONF names, written as in spark-defaults.conf."""
    given = os.environ.get("GRADER_SPARK_CONF")
    if not given:
        return {}
    return read_properties("GRADER_SPARK_CONF", given)
