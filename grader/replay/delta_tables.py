"""The Delta tables of one play: made empty, changed by events, and read back with their versions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from grader.replay.delta_log import commits, snapshot_of, version_in
from grader.replay.play_session import forget_session, new_session
from grader.runtime.spark_internals.delta_internals import forget_table
from grader.scenario import Event, Input

_DELETED = "_deleted"


class DeltaTables:
    """Tables by the name of their input, each in a folder of its own.

    They have a session of their own: a setting of the answer's session does not reach their commits.
    """

    def __init__(self, spark: SparkSession, folder: Path, inputs: Mapping[str, Input]):
        self._session = new_session(spark, {})
        self._folder = folder
        self._inputs = {name: given for name, given in inputs.items() if given.table}
        self.versions: dict[str, list[dict[str, Any]]] = {name: [] for name in self._inputs}

    def __contains__(self, name: str) -> bool:
        return name in self._inputs

    def path(self, name: str) -> str:
        return str(self._folder / name)

    def create(self) -> None:
        """Make all tables, without rows: version 0 of each."""
        for name, given in self._inputs.items():
            properties = ", ".join(
                f"'{key}' = '{value}'" for key, value in given.properties.items()
            )
            self._session.sql(
                f"CREATE TABLE {self._sql_name(name)} ({given.schema}) USING delta"
                + (f" TBLPROPERTIES ({properties})" if properties else "")
            )

    def commit(self, events: Iterable[Event]) -> None:
        """Write a step's events, those of each table in one commit, in the order of the tables."""
        events = list(events)
        for name, given in self._inputs.items():
            of_table = [event for event in events if event.input == name]
            if not of_table:
                continue
            if given.key is None:
                rows = _frame(self._session, given.schema, [event.value for event in of_table])
                rows.write.format("delta").mode("append").save(self.path(name))
            else:
                self._merge(name, given.key, of_table)

    def _merge(self, name: str, key: str, events: list[Event]) -> None:
        """An event replaces the row with its key, or adds it; without a value it deletes that row."""
        schema = self._inputs[name].schema
        lines = [
            {key: event.key, _DELETED: True} if event.value is None else event.value
            for event in events
        ]
        changes = _frame(self._session, f"{schema}, {_DELETED} BOOLEAN", lines)
        changes.createOrReplaceTempView("_changes")
        columns = [column for column in changes.columns if column != _DELETED]
        self._session.sql(
            f"MERGE INTO {self._sql_name(name)} AS old USING _changes AS new ON old.{key} = new.{key} "
            f"WHEN MATCHED AND new.{_DELETED} THEN DELETE "
            f"WHEN MATCHED THEN UPDATE SET {', '.join(f'{c} = new.{c}' for c in columns)} "
            f"WHEN NOT MATCHED THEN INSERT ({', '.join(columns)}) "
            f"VALUES ({', '.join(f'new.{c}' for c in columns)})"
        )

    def read(self, name: str) -> DataFrame:
        """The rows of the newest version."""
        snapshot = snapshot_of(self._folder / name)
        if snapshot is None:
            return self._session.read.format("delta").load(self.path(name))
        if not snapshot.files:
            return self._session.createDataFrame([], snapshot.schema)
        return self._session.read.schema(snapshot.schema).parquet(*map(str, snapshot.files))

    def note_versions(self, step: int) -> None:
        """Note what the versions of each table since the last time did: the operation, and rows in new files."""
        for name, known in self.versions.items():
            new = commits(self._folder / name)[len(known) :]
            known += [{"step": step, **version_in(path)} for path in new]

    def close(self) -> None:
        for name in self._inputs:
            forget_table(self._session, self.path(name))
        forget_session(self._session)

    def _sql_name(self, name: str) -> str:
        return f"delta.`{self.path(name)}`"


def _frame(session: SparkSession, schema: str, values: Iterable[Any]) -> DataFrame:
    """Values of events as rows: read as JSON, as the values of a topic are."""
    lines = session.createDataFrame([(json.dumps(value),) for value in values], "value STRING")
    return lines.coalesce(1).select(F.from_json("value", schema).alias("v")).select("v.*")
