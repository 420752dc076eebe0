"""Spark's private members are used in one place, which knows the versions that have them."""

import re
from importlib.metadata import version
from typing import Any

import pyspark
import pytest
from testkit.lab_processes import ROOT

from grader.authoring.proof import Bench
from grader.errors import SetupError
from grader.runtime.scratch_folders import make_scratch
from grader.runtime.spark_internals.context_internals import delete_within_java
from grader.runtime.spark_internals.delta_internals import forget_table
from grader.runtime.spark_internals.java_gateway import java
from grader.runtime.spark_internals.session_internals import is_stopped
from grader.runtime.spark_internals.verified_spark import VERIFIED

PRIVATE = re.compile(
    r"\._(jvm|jsc|jdf|jsq|jwrite|jreader|jconf|jsparkSession|jvmView|df|sc)\b|\._(gateway|java|accumulator|get_j_)\w*"
    r"|\._(activeSession|instantiatedSession|active_spark_context|ensure_initialized|streamingCheckpointManager)\b"
    r"|getDeclared|setAccessible|MODULE\$|import launch_gateway"
)


def test_no_other_file_uses_them() -> None:
    used = {
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in (ROOT / "grader").rglob("*.py")
        if path.parent.name != "spark_internals"
        for line in path.read_text().splitlines()
        if PRIVATE.search(line)
    }
    assert not used, "\n".join(sorted(used))


def test_the_locked_spark_is_verified() -> None:
    assert version("pyspark") in VERIFIED


def test_a_spark_that_lacks_one_is_named_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    class Session:
        sparkContext = object()  # noqa: N815

    session: Any = Session()
    with pytest.raises(AttributeError):  # of a version that has it: a defect, as it is
        is_stopped(session)
    monkeypatch.setattr(pyspark, "__version__", "9.9.9")
    with pytest.raises(
        SetupError, match=r"Spark 9\.9\.9 lacks .*is_stopped.*'_jsc'.*Fix: pip install pyspark==4"
    ):
        is_stopped(session)


@pytest.mark.slow
def test_so_is_one_that_lacks_a_member_of_java(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    from grader.runtime.spark_internals import session_internals

    monkeypatch.setattr(pyspark, "__version__", "9.9.9")
    monkeypatch.setattr(session_internals, "_PRODUCERS", "org.apache.spark.Gone")
    with pytest.raises(SetupError, match=r"Spark 9\.9\.9 lacks"):
        session_internals.producer_pool(bench.spark)


@pytest.mark.slow
def test_java_deletes_folders_itself_and_goes_behind_no_link(bench: Bench) -> None:
    folder, outside = make_scratch("checkpoint"), make_scratch("checkpoint")
    (outside / "kept").write_text("tea")
    (folder / "gone" / "deep").mkdir(parents=True)
    (folder / "gone" / "deep" / "file").write_text("tea")
    (folder / "gone" / "link").symlink_to(outside)
    delete_within_java(bench.spark.sparkContext)
    jvm = java(bench.spark)
    utils = jvm.org.apache.spark.network.util.JavaUtils
    assert utils.isUnix is False, "it would run rm"
    utils.deleteRecursively(jvm.java.io.File(str(folder / "gone")))
    assert not (folder / "gone").exists()
    assert (outside / "kept").read_text() == "tea"


@pytest.mark.slow
def test_delta_forgets_a_table(bench: Bench) -> None:
    path = str(make_scratch("checkpoint") / "table")
    bench.spark.range(1).write.format("delta").save(path)
    logs = java(bench.spark).org.apache.spark.sql.delta.DeltaLog
    log = logs.forTable(bench.spark._jsparkSession, path)
    assert log.equals(logs.forTable(bench.spark._jsparkSession, path)), "Delta keeps it"
    forget_table(bench.spark, path)
    assert not log.equals(logs.forTable(bench.spark._jsparkSession, path))
    assert bench.spark.read.format("delta").load(path).count() == 1
