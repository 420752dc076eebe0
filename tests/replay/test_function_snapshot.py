"""A frozen answer finds everything again that it used, also what only the body of a class names."""

from typing import Any

from pyspark.sql import SparkSession

from grader.replay.function_snapshot import Snapshot

NO_SPARK: SparkSession = None  # type: ignore[assignment]
PROGRAM = """
from typing import Any
LIMIT = 3

def helper():
    class Limit:
        most: Any = LIMIT
    return Limit

def answer():
    class Kept(helper()):
        def least(self, other: Any) -> int:
            return min(other, LIMIT)
    return Kept().most, Kept().least(5)
"""


def test_what_the_body_of_a_class_names_is_there() -> None:
    program: dict[str, Any] = {"__name__": "answers"}
    exec(PROGRAM, program)
    thawed = Snapshot(program["answer"]).thaw(NO_SPARK)
    assert thawed.__globals__ is not program  # type: ignore[attr-defined]
    assert thawed() == (3, 3)
