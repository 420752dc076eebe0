"""docs/settings-and-errors.md has each setting and error condition that a lesson or a message names."""

import json
import re
from functools import cache
from pathlib import Path
from zipfile import ZipFile

import pytest

from grader.judging.wording.spark_errors import spark_errors
from grader.runtime.jars import jar_paths, pyspark_jars

ROOT = Path(__file__).resolve().parents[2]
INDEX = ROOT / "docs" / "settings-and-errors.md"
SETTING = re.compile(
    r"(?<!apache\.)\bspark\.(?!apache|conf|sparkContext|streams)(?:[a-z]\w*\.)+[a-z]\w+\b(?![.(])"
)
SHORTENED = re.compile(r"…(?:stateStore|rocksdb)\.([a-z]\w*(?:\.\w+)*)")
OPTION = re.compile(r'\.option\(\s*"([\w.]+)"|"(kafka\.[a-z.]+)"')
PREFIXES = {"spark.sql.streaming", "spark.sql.streaming.stateStore"}  # the lesson appends the rest
OWN = {"endpoint"}  # of a source that lesson 15 writes
OF_STREAMING = re.compile(
    "STREAM|STATE|STDS|KAFKA|EVENT_TIME|CHECKPOINT|LOG_FILE|BATCH_METADATA|TWS|OFFSET"
)


def entries(section: str) -> dict[str, set[str]]:
    """What a table of the index names, each with its lessons."""
    text = INDEX.read_text("utf-8").split(f"\n## {section}")[1].split("\n## ")[0]
    found = {}
    for row in re.findall(r"^\| (`.+) \|$", text, re.MULTILINE):
        names, _, lessons = row.split(" | ")
        found |= {name: set(re.findall(r"\d\d", lessons)) for name in re.findall("`(.+?)`", names)}
    return found


@cache
def texts() -> dict[str, str]:
    """What learners read of each lesson: the lesson itself and its discussions."""
    found: dict[str, str] = {}
    for pattern in ("*/lesson.py", "*/*/discussion.md"):
        for path in sorted((ROOT / "solutions").glob(pattern)):
            lesson = path.relative_to(ROOT / "solutions").parts[0][:2]
            found[lesson] = found.get(lesson, "") + path.read_text("utf-8")
    return found


def missing(text: str, index: set[str]) -> set[str]:
    """The settings that a text names and the index does not have."""
    named = set(SETTING.findall(text)) | {a or b for a, b in OPTION.findall(text)}
    left = named - index - PREFIXES - OWN
    tails = set(SHORTENED.findall(text))
    return left | {tail for tail in tails if not any(name.endswith(f".{tail}") for name in index)}


@pytest.mark.parametrize("lesson", texts())
def test_the_index_has_each_setting_of_a_lesson(lesson: str) -> None:
    index = set(entries("Settings")) | set(entries("Options"))
    assert missing(texts()[lesson], index) == set(), f"add a row to {INDEX.name}"


def test_each_lesson_of_an_entry_names_the_setting() -> None:
    for name, lessons in (entries("Settings") | entries("Options")).items():
        short = re.split(r"(?:stateStore|rocksdb)\.", name)[-1].removeprefix("kafka.")
        word = re.compile(rf"(?<!\w){re.escape(short)}(?!\w)")
        assert lessons, name
        assert [lesson for lesson in lessons if not word.search(texts()[lesson])] == [], name


def conditions() -> dict[str, str]:
    """The error conditions of Spark and its Kafka connector, each with its message."""
    found = {}
    for jar in [*pyspark_jars(), *jar_paths("connector")]:
        if jar.name.startswith(("spark-common-utils_", "spark-sql-kafka")):
            with ZipFile(jar) as archive:
                for name in archive.namelist():
                    if name.endswith("error-conditions.json"):
                        found |= json.loads(archive.read(name))
    messages = {name: " ".join(entry["message"]) for name, entry in found.items()}
    for name, entry in found.items():
        for below, part in entry.get("subClass", {}).items():
            messages[f"{name}.{below}"] = f"{messages[name]} {' '.join(part['message'])}"
    return messages


def test_the_index_has_the_conditions_that_a_message_or_a_lesson_names() -> None:
    official = conditions()
    streaming = {name for name in official if OF_STREAMING.search(name)}
    known = {
        name: explained(f"[{name}] {official[name]}\n")
        for name in streaming | {parent(name) for name in streaming}
    }
    by_a_message = {
        name
        for name in streaming
        if known[name] and ("." not in name or known[name] != known[parent(name)])
    }
    words = set(re.findall(r"[A-Z]+(?:_[A-Z0-9]+)+(?:\.[A-Z0-9_]+)?", "".join(texts().values())))
    index = entries("Error conditions")
    by_a_lesson = (words & set(official)) - {parent(name) for name in index}
    assert set(index) == by_a_message | by_a_lesson
    assert all(lessons <= set(texts()) and lessons for lessons in index.values())


def explained(text: str) -> str | None:
    """The name of the known error that a message of Spark is."""
    return next((one.name for one in spark_errors() if re.search(one.pattern, text)), None)


def parent(condition: str) -> str:
    return condition.split(".")[0]


@pytest.mark.parametrize(
    "text",
    [
        "`spark.sql.streaming.newSetting`",
        'spark.conf.set("spark.sql.streaming.newSetting", "true")',
        '.option("newOption", 1)',
        "`…stateStore.rocksdb.newSetting`",
    ],
)
def test_a_setting_without_a_row_is_found(text: str) -> None:
    assert missing(text, set(entries("Settings")))
