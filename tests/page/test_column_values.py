"""What columns compute, and their types: values as Spark 4.2 gives them (ANSI mode, UTC)."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest
from pyspark.errors import ArithmeticException, NumberFormatException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from grader.authoring.proof import Bench
from grader.model.expressions import evaluate
from grader.model.timestamps import Window
from grader.model.unsupported import NotModelled
from grader.page.lab_only import OnlyTheLab
from grader.page.pyspark_stand_in.column import resolved
from grader.page.pyspark_stand_in.raised_errors import AnalysisException
from grader.page.pyspark_stand_in.scope import Field, Scope
from grader.page.pyspark_stand_in.sql_expression import expression_of

NOON = datetime(2026, 3, 1, 12, 0, 0, 250_000, tzinfo=timezone.utc)
HOUR = Window(NOON.replace(microsecond=0), NOON.replace(hour=13, microsecond=0))
ROW: dict[str, Any] = {
    "page": "/Home", "n": -7, "big": 2**40, "x": 2.5, "at": NOON, "none": None, "yes": True, "w": HOUR,
}  # fmt: skip
TYPES = {
    "page": "string", "n": "integer", "big": "long", "x": "double", "at": "timestamp", "none": "string",
    "yes": "boolean", "w": "window",
}  # fmt: skip
SCOPE = Scope([Field(name, type, key, name) for key, (name, type) in enumerate(TYPES.items())])


VALUES: list[tuple[str, Any, str]] = [
    ("n + 1", -6, "integer"),
    ("n + big", 2**40 - 7, "long"),
    ("n * x", -17.5, "double"),
    ("n / 2", -3.5, "double"),
    ("n % 4", -3, "integer"),
    ("-n", 7, "integer"),
    ("abs(n)", 7, "integer"),
    ("floor(x)", 2, "long"),
    ("ceil(-x)", -2, "long"),
    ("round(x)", 3.0, "double"),
    ("round(-x)", -3.0, "double"),
    ("round(x * 1.0D / 3, 3)", 0.833, "double"),
    ("CAST(x AS INT)", 2, "integer"),
    ("CAST(-x AS BIGINT)", -2, "long"),
    ("CAST(n AS STRING)", "-7", "string"),
    ("CAST('12' AS INT)", 12, "integer"),
    ("CAST(at AS STRING)", "2026-03-01 12:00:00.25", "string"),
    ("CAST(at AS BIGINT)", 1772366400, "long"),
    ("unix_millis(at)", 1772366400250, "long"),
    ("timestamp_millis(1772366400250) = at", True, "boolean"),
    ("CAST(1772366400.25D AS TIMESTAMP) = at", True, "boolean"),
    ("from_unixtime(1772366400)", "2026-03-01 12:00:00", "string"),
    ("date_trunc('HOUR', at) = w.start", True, "boolean"),
    ("at - INTERVAL '250' MILLISECONDS = w.start", True, "boolean"),
    ("w.end - INTERVAL '0 01:00:00' DAY TO SECOND = w.start", True, "boolean"),
    ("w.end - INTERVAL 1 HOUR = w.start", True, "boolean"),
    ("window_time(w) < w.end", True, "boolean"),
    ("hour(at)", 12, "integer"),
    ("at >= '2026-03-01 12:00:00.25'", True, "boolean"),
    ("lower(page)", "/home", "string"),
    ("substring(page, 1, 3)", "/Ho", "string"),
    ("substring(page, 0, 2)", "/H", "string"),
    ("substring(page, -3, 2)", "om", "string"),
    ("instr(page, 'H')", 2, "integer"),
    ("length(page)", 5, "integer"),
    ("page LIKE '/H_m%'", True, "boolean"),
    ("page LIKE 'H%'", False, "boolean"),
    ("page RLIKE '^/H'", True, "boolean"),
    ("page IN ('/Home', '/')", True, "boolean"),
    ("page NOT IN ('/', none)", None, "boolean"),
    ("n BETWEEN -7 AND 0", True, "boolean"),
    ("NOT n < 0", False, "boolean"),
    ("none = 'a'", None, "boolean"),
    ("NOT none = 'a'", None, "boolean"),
    ("none <=> NULL", True, "boolean"),
    ("none <=> 'a'", False, "boolean"),
    ("(none = 'a') IS NOT TRUE", True, "boolean"),
    ("none = 'a' AND n > 0", False, "boolean"),
    ("none = 'a' OR n < 0", True, "boolean"),
    ("coalesce(none, page)", "/Home", "string"),
    ("CASE WHEN none = 'a' THEN 1 ELSE 2.0D END", 2.0, "double"),
    ("CASE n WHEN -7 THEN 'a' END", "a", "string"),
    ("if(yes, big, n)", 2**40, "long"),
    ("concat(page, none)", None, "string"),
    ("n = -7L", True, "boolean"),
    ("n = '-7'", True, "boolean"),
]
FAIL = ["n / (n + 7)", "n % 0", "CAST(big AS INT)", "2147483647 - n", "CAST(page AS INT)"]


def value_of(sql: str) -> tuple[Any, str]:
    found = resolved(expression_of(sql), SCOPE)
    return evaluate(found.of, ROW), found.type


@pytest.mark.parametrize(("sql", "value", "type"), VALUES)
def test_a_value_and_its_type(sql: str, value: Any, type: str) -> None:
    assert value_of(sql) == (value, type)


@pytest.mark.parametrize(
    "sql",
    [
        "1.5",  # a decimal
        "n + '1'",
        "page = 5",
        "page || 'x'",
        "CAST(x AS STRING)",
        "CAST(page AS DATE)",
        "page RLIKE 'a|b'",
        "page RLIKE 'e$'",
        "page LIKE '\\\\%'",
        "at > '12:00'",
        "upper(page) COLLATE x",
        "coalesce(n, page)",
        "count(n) + 1",
        "x = w",
        "round(x, -1)",
        "Page",
        "w.middle",
        "rand()",
        "n NOT RLIKE",
    ],
)
def test_what_is_not_known_is_for_the_lab(sql: str) -> None:
    with pytest.raises((OnlyTheLab, NotModelled)):
        value_of(sql)


@pytest.mark.parametrize("sql", FAIL)
def test_where_spark_ends_the_query_there_is_no_value(sql: str) -> None:
    with pytest.raises(NotModelled):
        value_of(sql)


def test_a_name_that_is_no_column_is_refused_as_by_spark() -> None:
    with pytest.raises(AnalysisException, match=r"`pages` cannot be resolved.*\[`page`"):
        value_of("pages")


@pytest.fixture(scope="module")
def on_spark(bench: Bench) -> DataFrame:
    """The row, on Spark; its window is one that Spark has made."""
    types = "page STRING, n INT, big BIGINT, x DOUBLE, at TIMESTAMP, none STRING, yes BOOLEAN"
    row = [ROW[name] for name in TYPES if name != "w"]
    made = bench.spark.createDataFrame([row], types)
    return made.select("*", F.window("at", "1 hour").alias("w"))


@pytest.mark.slow
def test_spark_gives_the_same_values_and_types(on_spark: DataFrame) -> None:
    found = on_spark.select(*[F.expr(sql).alias(str(i)) for i, (sql, _, _) in enumerate(VALUES)])
    values = found.collect()[0]
    types = [field.dataType.typeName() for field in found.schema]
    assert [(sql, v, t) for (sql, _, _), v, t in zip(VALUES, values, types, strict=True)] == VALUES


@pytest.mark.slow
@pytest.mark.parametrize("sql", FAIL)
def test_spark_ends_the_query_there(on_spark: DataFrame, sql: str) -> None:
    with pytest.raises((ArithmeticException, NumberFormatException)):
        on_spark.select(F.expr(sql)).collect()
