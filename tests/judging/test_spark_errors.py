"""What is said of an error of Spark: the cause and the fix for the query at hand, the original underneath."""

import re
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from error_shop import Shop, raised
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from grader.authoring.proof import Bench
from grader.feedback.verdict_html import verdict_html
from grader.feedback.verdict_text import verdict_text
from grader.judging.verdict import Criterion, Verdict
from grader.judging.wording.failure_text import failure_text
from grader.judging.wording.sentences import words_in
from grader.judging.wording.spark_errors import spark_error_of, spark_errors
from grader.replay.exercise_kafka import ExerciseKafka
from grader.replay.failures import failure_of
from grader.scenario.recording import Failure


def test_every_known_error_has_a_name_of_its_own_and_says_all_that_is_said() -> None:
    names = [known.name for known in spark_errors()]
    assert len(names) == len(set(names)) >= 70
    for known in spark_errors():
        re.compile(known.pattern)
        said = (known.what, known.why, known.fix, known.checked, known.marked)
        assert all((known.name, known.pattern, known.what, known.why, known.fix)), known.name
        assert all(text == " ".join(text.split()) for text in said), known.name
        assert known.why.endswith((".", "?", ")")), known.name
        assert set(re.findall(r"\{(\w*)\}", known.what)) <= {"call"}, known.name
        assert set(re.findall(r"\{(\w*)\}", known.marked)) <= {"columns"}, known.name


OFFICIAL = ("spark.apache.org", "kafka.apache.org", "docs.delta.io")


def test_every_known_error_has_an_official_page_and_every_page_an_error() -> None:
    words = words_in("spark_errors.toml")
    assert {error["link"] for error in words["error"]} == set(words["links"])
    assert len(set(words["links"].values())) == len(words["links"])
    for known in spark_errors():
        page = urlsplit(known.link)
        assert page.scheme == "https" and not page.query, known.name
        assert page.netloc in OFFICIAL, known.name


SORTED = Failure("plan", "Sorting is not supported on streaming DataFrames", own_writer=False)
PAGE = "apis-on-dataframes-and-datasets.html#unsupported-operations"


def test_the_page_is_the_last_line_and_in_html_a_link() -> None:
    said = failure_text(SORTED)
    assert said.count("Read more") == 1 and said.splitlines()[-1].startswith("Read more: https://")
    verdict = Verdict("00.1", "error", 0.0, 1.0, [Criterion("plan", False, said)])
    assert verdict_text(verdict).endswith(PAGE)
    page = verdict_html(verdict)
    assert page.count("Read more:</b> <a href=") == 1 and page.count(f"{PAGE}</a>") == 1


@pytest.mark.parametrize("address", ["https://example.org/", "javascript:alert(1)"])
def test_an_address_that_an_answer_wrote_into_its_error_is_no_link(address: str) -> None:
    said = failure_text(Failure("query", f"ValueError: x\nRead more: {address}"))
    verdict = Verdict("00.1", "error", 0.0, 1.0, [Criterion("query", False, said)])
    assert address in verdict_html(verdict) and "<a " not in verdict_html(verdict)


@pytest.fixture(scope="module")
def shop(bench: Bench) -> Iterator[Shop]:
    shop = Shop(bench)
    yield shop
    shop.bench.kafka.delete_topics(shop.topics)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "mode"), [("inner", "complete"), ("left_semi", "append"), ("left_semi", "update")]
)
def test_a_join_that_is_no_outer_one_is_not_called_so(shop: Shop, how: str, mode: str):
    joined = shop.ads(late=False).join(shop.clicks(late=False), F.expr("page = ad"), how)
    with pytest.raises(Exception) as caught:
        shop.run(joined.groupBy("ad").count() if mode == "complete" else joined, mode=mode)
    failure = failure_of(caught.value, phase="query")
    assert "join" in failure.message.lower(), failure.message
    assert "outer join" not in failure_text(failure)


def test_an_error_that_is_not_known_keeps_its_own_words():
    failure = failure_of(ValueError("no such thing"), phase="plan")
    assert spark_error_of(failure) is None
    assert "ValueError: no such thing" in failure_text(failure)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "action"),
    [
        ("count", lambda clicks: clicks.count()),
        ("isEmpty", lambda clicks: clicks.isEmpty()),
        ("show", lambda clicks: clicks.show()),
        ("collect", lambda clicks: clicks.collect()),
        ("toPandas", lambda clicks: clicks.toPandas()),
        ("first", lambda clicks: clicks.first()),
    ],
)
def test_the_call_that_was_made_on_a_stream_is_the_one_that_is_named(
    shop: Shop, name: str, action: Callable[[DataFrame], Any]
) -> None:
    clicks = shop.clicks()
    assert f"Your code calls `{name}()` on a stream." in raised(lambda: action(clicks))


@pytest.mark.slow
def test_where_the_check_starts_the_query_nobody_is_told_to_start_one(shop: Shop) -> None:
    clicks = shop.clicks()
    told = raised(clicks.count, own_writer=False)
    assert "Leave that line out." in told and "start()" not in told.split("Original message")[0]
    assert "writeStream" in raised(clicks.count)  # in a cell of one's own


@pytest.mark.slow
def test_running_counts_are_told_of_update_mode_and_of_no_column(shop: Shop) -> None:
    counts = shop.clicks(late=False).groupBy("page").count()
    own = raised(lambda: shop.run(counts), own_writer=True)
    assert "append mode, the default" in own and '.outputMode("update")' in own
    assert "event_time" not in own and "minutes" not in own
    checked = raised(lambda: shop.run(counts), own_writer=False)
    assert "The check starts your query in append mode" in checked and "outputMode" not in checked
    assert "minutes" not in checked


def test_where_a_watermark_is_set_nobody_is_told_to_set_one_or_to_take_another_mode() -> None:
    refused = Failure(
        "plan",
        "append. This output mode is not supported for streaming aggregations without watermark",
    )
    told = failure_text(refused, "writer", ["order_time"])
    assert "Your query sets a watermark on `order_time`" in told and "outputMode" not in told
    assert "outputMode" in failure_text(refused, "writer")


def test_an_exception_of_python_is_not_laid_at_the_door_of_spark() -> None:
    topics = ExerciseKafka("", {"valid": "valid-1"})
    told = raised(lambda: topics.topic("vaild"))
    assert told.startswith("Python raised an exception") and "refused" not in told
    assert "it has ['valid']" in told and "in the line: " in told


WINDOW = {
    "type": "struct",
    "fields": [{"name": name, "type": "timestamp"} for name in ("start", "end")],
}


def said_of(**fault: Any) -> str:
    fields = {"faults": [{"column": "n", **fault}], "expected": ["n"], "got": ["m"]}
    return failure_text(Failure("schema", fields=fields))


def test_a_schema_names_only_the_ways_that_mend_it() -> None:
    text = said_of(fault="type", got=WINDOW, expected="timestamp")
    assert "has type struct<start: timestamp, end: timestamp>, expected timestamp" in text
    assert "window.end" in text and "cast()" not in text and "alias()" not in text
    text = said_of(fault="type", got="timestamp", expected=WINDOW)
    assert "as a whole" in text and "cast()" not in text
    text = said_of(fault="type", got="string", expected="long")
    assert "column `n` has type string, expected bigint" in text and "cast()" in text
    missing = said_of(fault="missing")
    assert "column `n` is missing (there are: m)" in missing
    assert "alias()" in missing and "cast()" not in missing
