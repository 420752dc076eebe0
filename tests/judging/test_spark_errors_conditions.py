"""Each error condition of Spark that a stream can meet is translated, or is on a list with the reason."""

import json
import re
import sys
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pyspark

from grader.judging.wording.spark_errors import spark_error_of
from grader.scenario.recording import Failure

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

STREAMS = re.compile(
    r"(STREAM|STREAMING|STATE|STATEFUL|STDS|KAFKA|UNSUPPORTED|TRANSFORM_WITH_STATE|CANNOT_(LOAD|WRITE)_STATE)_"
)
JARS = Path(pyspark.__file__).parent / "jars"


@cache
def conditions() -> dict[str, str]:
    """Names of conditions, with what Spark says for each."""
    (jar,) = JARS.glob("spark-common-utils_*.jar")
    with zipfile.ZipFile(jar) as opened:
        given = json.loads(opened.read("error/error-conditions.json"))
    return {name: said for name, said in _named(given) if STREAMS.match(name)}


def _named(given: dict) -> Iterator[tuple[str, str]]:
    for name, condition in given.items():
        said = " ".join(condition["message"])
        inner = condition.get("subClass") or {}
        yield from (
            (f"{name}.{sub}", f"{said} {' '.join(one['message'])}") for sub, one in inner.items()
        )
        if not inner:
            yield name, said


@cache
def groups() -> list[tuple[str, re.Pattern[str]]]:
    text = Path(__file__).with_name("untranslated_conditions.toml").read_text()
    return [
        (group["reason"], re.compile(pattern))
        for group in tomllib.loads(text)["group"]
        for pattern in group["conditions"]
    ]


def translated(name: str, said: str) -> bool:
    return spark_error_of(Failure("query", f"[{name}] {said}", name)) is not None


def test_each_condition_is_translated_or_on_the_list_with_its_reason() -> None:
    assert len(conditions()) > 250
    for name, said in conditions().items():
        reasons = {reason for reason, pattern in groups() if pattern.fullmatch(name)}
        assert len(reasons) + translated(name, said) == 1, (name, reasons)


def test_each_entry_of_the_list_is_a_condition_of_this_spark() -> None:
    for _, pattern in groups():
        assert any(pattern.fullmatch(name) for name in conditions()), pattern.pattern
