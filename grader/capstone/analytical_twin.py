"""The analytical twin: a declarative pipeline, run by Spark's own program against this session's JVM."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from grader.capstone.pipeline_process import SELF_CONTAINED
from grader.errors import UserFacingError
from grader.runtime.ports import own_ports
from grader.runtime.spark_internals.context_internals import start_connect

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RUN_SECONDS = 240
SPEC = "spark-pipeline.yml"
_serving: dict[str, str] = {}  # by application, the address of its Spark Connect


class TwinError(UserFacingError, RuntimeError):
    """The declarative pipeline did not run to its end; the message is the end of what it said."""


def run_twin(
    spark: SparkSession, definitions: str, folder: Path, settings: Mapping[str, str]
) -> list[str]:
    """Run the pipeline that `definitions` (Python) declares, once, over what is there now.

    Afterward its tables are in the catalog of `spark`. A second call with the same `folder` continues
    where the first one ended; a call with another folder begins from scratch. Returns the lines that
    `spark-pipelines run` printed. Raises TwinError.
    """
    if not (folder / "storage" / "_checkpoints").exists():
        _drop_tables(spark, definitions)
    (folder / "storage").mkdir(parents=True, exist_ok=True)
    (folder / "transformations").mkdir(exist_ok=True)
    (folder / "transformations" / "twin.py").write_text(definitions)
    spec = {  # JSON is YAML, too
        "name": "twin",
        "storage": (folder / "storage").resolve().as_uri(),
        "configuration": dict(settings),
        "libraries": [{"glob": {"include": "transformations/**"}}],
    }
    (folder / SPEC).write_text(json.dumps(spec, indent=1))
    done = _run(
        # what the script spark-pipelines starts, without the Java that it would start before
        [sys.executable, "-m", "pyspark.pipelines.cli", "run", "--spec", str(folder / SPEC)],
        {**os.environ, "SPARK_REMOTE": serve(spark)},
    )
    if done.returncode:
        events, errors = (text.strip().splitlines() for text in (done.stdout, done.stderr))
        if fix := _fix(done.stdout + done.stderr, definitions):
            raise TwinError(fix)
        failed = [line for line in events if "FAILED" in line] or events[-5:]
        raise TwinError("\n".join([*failed, *events[-5:], *errors[-12:]]))
    for table in spark.catalog.listTables():  # this session knows the files of the run before
        if not table.isTemporary:
            spark.catalog.refreshTable(table.name)
    return [line for line in done.stdout.splitlines() if line.strip()]


def _drop_tables(spark: SparkSession, definitions: str) -> None:
    """Drop the tables that a pipeline with a different folder has made.

    Its tables know batches by their numbers: those of a pipeline that begins again would be taken for old ones.
    """
    for table in spark.catalog.listTables():
        declared = rf"name\s*=\s*[\"']{table.name}[\"']|def\s+{table.name}\s*\("
        if not table.isTemporary and re.search(declared, definitions):
            spark.sql(f"DROP TABLE `{table.name}`")


def _run(command: list[str], environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=RUN_SECONDS
        )
    except subprocess.TimeoutExpired as late:
        said = (late.stdout or b"").decode(errors="replace").strip().splitlines()
        raise TwinError(
            "\n".join(
                [
                    f"The twin timed out after {RUN_SECONDS} s. Run the cell again.",
                    *said[-5:],
                ]
            )
        ) from late


def _fix(said: str, definitions: str) -> str:
    """What to do about a failure that has to do with where the functions run; empty for any other."""
    if name := re.search(r"NameError: .*", said):
        return f"{name[0]}\n{SELF_CONTAINED}"
    missing = re.search(r"TABLE_OR_VIEW_NOT_FOUND\].*?`(\w+)` cannot be found", said)
    if missing is None or f'name="{missing[1]}"' not in definitions:
        return ""
    table = missing[1]
    return (
        f"A function looks up the columns of {table}, which this pipeline has yet to make. Methods such as "
        "dropDuplicates, withWatermark and dropna(subset=…) do so as soon as they are called. Take a way that does not: "
        'where("page IS NOT NULL") for what is missing, collect_set for what is there twice.'
    )


def serve(spark: SparkSession) -> str:
    """The address at which this session's JVM serves Spark Connect; the first call starts the server.

    On a free port of the loopback, for as long as the JVM runs; all its sessions share one catalog.
    """
    name = spark.sparkContext.applicationId
    if name not in _serving:
        (port,) = own_ports(1)
        start_connect(spark, port, again=bool(_serving))
        _serving.clear()
        _serving[name] = f"sc://127.0.0.1:{port}"
    return _serving[name]
