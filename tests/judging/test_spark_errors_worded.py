"""Errors that public questions bring, by the words that Spark, Kafka and pandas have for them: without Spark."""

import pandas as pd
import pytest

from grader.judging.wording.spark_errors import spark_error_of
from grader.replay.failures import failure_of
from grader.scenario.recording import Failure

JOIN = "join between two streaming DataFrames/Datasets is not supported in Update output mode"
WORDED = {
    "LeftAnti joins with a streaming DataFrame/Dataset on the right are not supported": (
        "an anti join with a stream"
    ),
    f"LeftOuter {JOIN}, only in Append output mode": "outer join in another mode",
    "This query does not support recovering from checkpoint location. Delete /x to start over.": (
        "a memory sink with a checkpoint"
    ),
    "Archive mode must be used with 'sourceArchiveDir' option.": "an archive without a folder",
    "The value of minOffsetPerTrigger(100) is higher than the maxOffsetsPerTrigger(10).": (
        "more at least than at most"
    ),
    "No offset matched from request of topic-partition a-0 and timestamp 1.": (
        "no record at a timestamp"
    ),
    "RecordTooLargeException: The message is 2000069 bytes": "a record that is too large",
    "'DataStreamReader' object is not callable": "a reader that is called",
}
IN_FOREACH = "in func_without_process\n    f(x)\n"
IN_BATCH = "in call\n    self.func(DataFrame(jdf, session), batch_id)\n"


@pytest.mark.parametrize("message", WORDED)
def test_what_spark_and_kafka_say_is_called_by_its_name(message: str) -> None:
    known = spark_error_of(Failure("query", message))
    assert known is not None and known.name == WORDED[message]


def test_what_python_says_is_called_by_its_name_and_by_its_place() -> None:
    with pytest.raises(ValueError) as scalars:
        pd.DataFrame({"page": "home", "n": 1})
    with pytest.raises(IndexError) as no_row:
        pd.DataFrame({"page": []}).iloc[-1]
    for caught, name in ((scalars, "scalars for the columns"), (no_row, "a row of no rows")):
        known = spark_error_of(failure_of(caught.value, phase="query"))
        assert known is not None and known.name.startswith(name)
    missing = "TypeError: write() missing 1 required positional argument: 'number'"
    nothing = "TypeError: 'NoneType' object is not subscriptable"
    for error, frames, name in (
        (missing, IN_FOREACH, "a function of foreach with other parameters"),
        (missing, IN_BATCH, "a function of foreachBatch with other parameters"),
        (nothing, IN_BATCH, "a row of a batch without rows"),
    ):
        known = spark_error_of(Failure("udf", error, detail=frames + error))
        assert known is not None and known.name == name
    assert spark_error_of(Failure("udf", nothing, detail=nothing)) is None
