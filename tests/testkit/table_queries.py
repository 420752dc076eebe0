"""The queries of exercises 17.5 to 17.7, side by side in a process that can be killed."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.latency.query_process import run_query
from grader.validity.syntax_tree import parse

LESSON = Path(__file__).resolve().parents[2] / "solutions" / "17_tables" / "lesson.py"
IMPORTS = """\
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
"""
CLICK = "page STRING, event_time TIMESTAMP"
ORDER = "customer STRING, city STRING, order_time TIMESTAMP"
# by its function: the schema of its topic, and of its table
QUERIES = {
    "page_windows": (CLICK, "window_start TIMESTAMP, page STRING, clicks BIGINT"),
    "customer_table": (
        ORDER,
        "customer STRING, orders BIGINT, city STRING, last_order TIMESTAMP",
    ),
    "count_history": (CLICK, "page STRING, clicks BIGINT"),
}


@dataclass(frozen=True)
class Together:
    """Several queries, as one."""

    queries: list[Any]

    @property
    def recentProgress(self) -> list[Any]:  # noqa: N802 the name of Spark
        return []

    def exception(self) -> Exception | None:
        return next((error for query in self.queries if (error := query.exception())), None)

    def stop(self) -> None:
        for query in self.queries:
            query.stop()


def solutions() -> dict[str, Any]:
    """The lesson's own solutions, by name."""
    text = LESSON.read_text(encoding="utf-8")
    functions = [
        ast.get_source_segment(text, node) or ""
        for node in parse(text).body
        if isinstance(node, ast.FunctionDef) and node.name in QUERIES
    ]
    namespace: dict[str, Any] = {"__name__": "__main__"}
    exec("\n\n".join([IMPORTS, *functions]), namespace)
    return {name: namespace[name] for name in QUERIES}


def start(order: dict[str, Any]) -> Together:
    """Start all queries on the topics and in the folder of the order."""
    from pyspark.sql import functions as F

    from grader.runtime.spark_session import spark_session

    spark = spark_session()
    running = []
    for name, function in solutions().items():
        schema, columns = QUERIES[name]
        folder = Path(order["folder"], name)
        table = str(folder / "table")
        spark.sql(f"CREATE TABLE IF NOT EXISTS delta.`{table}` ({columns}) USING delta")
        events = (
            spark.readStream.format("kafka")
            .option("kafka.bootstrap.servers", order["servers"])
            .option("subscribe", order["topics"][name])
            .option("startingOffsets", "earliest")
            .load()
            .select(F.from_json(F.col("value").cast("string"), schema).alias("e"))
            .select("e.*")
        )
        writer = function(events, table)
        running.append(writer.option("checkpointLocation", str(folder / "checkpoint")).start())
    return Together(running)


if __name__ == "__main__":
    run_query(start, lambda progress: {})
