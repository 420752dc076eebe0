"""The lab of one notebook: a broker lease and a Spark session, started once."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from grader.learner.background_warm_up import warm_while_idle
from grader.learner.cell_errors import translate_errors
from grader.learner.lab_kafka import LabKafka
from grader.learner.spark_ui import SETTINGS as UI_SETTINGS
from grader.replay.kafka import Kafka
from grader.runtime.broker import Broker, lease_broker
from grader.runtime.course_files import dataset_folder
from grader.runtime.leaked_threads import end_stray_threads
from grader.runtime.proxies import keep_own_servers_off_the_proxy
from grader.runtime.scratch_folders import make_scratch
from grader.runtime.spark_internals.session_internals import is_stopped
from grader.runtime.spark_session import spark_session, stop_spark
from grader.scenario import read_scenario


@dataclass(frozen=True)
class Lab:
    """What runs: the broker that this process holds a lease on, and its Spark session."""

    broker: Broker
    spark: SparkSession
    kafka: Kafka


_running: Lab | None = None


def start(*, ui: bool = False) -> Lab:
    """Start the lab for this process, or return the one that runs; with a new Spark if it was stopped.

    With `ui`, a Spark that is started has the Spark UI. One that runs stays what it is.
    """
    global _running
    extra_conf = UI_SETTINGS if ui else None
    if _running is not None and is_stopped(_running.spark):  # spark.stop() in a cell
        spark = spark_session(extra_conf=extra_conf)
        broker = _running.broker
        _running = Lab(broker, spark, LabKafka(broker.bootstrap_servers, spark))
    elif _running is None:
        keep_own_servers_off_the_proxy()
        broker, spark = _broker_and_spark(extra_conf)
        _running = Lab(broker, spark, LabKafka(broker.bootstrap_servers, spark))
        translate_errors()
        warm_while_idle(_running.spark, _running.kafka)
    else:
        end_stray_threads(_running.spark)
    return _running


def _broker_and_spark(extra_conf: Mapping[str, str] | None) -> tuple[Broker, SparkSession]:
    """Both, started side by side; if one does not start the other is given back."""
    with ThreadPoolExecutor(1) as pool:
        leasing = pool.submit(lease_broker)
        try:
            spark = spark_session(extra_conf=extra_conf)
        except BaseException:
            with contextlib.suppress(Exception):
                leasing.result().close()
            raise
        try:
            return leasing.result(), spark
        except BaseException:
            stop_spark()
            raise


def fresh_checkpoint() -> str:
    """A new, empty folder for a checkpoint, removed when this process ends."""
    return str(Path(make_scratch("checkpoint")) / "checkpoint")


def events(dataset: str) -> list[Any]:
    """The values of the events in datasets/NAME.jsonl, in the order in which they are sent."""
    return [event.value for event in read_scenario(dataset_path(dataset)).events]


def dataset_path(name: str) -> Path:
    """The path of datasets/NAME.jsonl; GRADER_DATASETS names a folder other than the project's."""
    given = os.environ.get("GRADER_DATASETS")
    places = [Path(given)] if given else [p / "datasets" for p in [Path.cwd(), *Path.cwd().parents]]
    places += [dataset_folder(), Path(__file__).resolve().parents[2] / "datasets"]
    for place in places:
        if (place / f"{name}.jsonl").exists():
            return place / f"{name}.jsonl"
    there = sorted(
        path.stem for place in places if place.is_dir() for path in place.glob("*.jsonl")
    )
    raise FileNotFoundError(
        f"There is no dataset {name!r}; there are: {', '.join(dict.fromkeys(there)) or 'none'}. "
        "Open the notebook inside the project, or set GRADER_DATASETS to its datasets folder."
    )
