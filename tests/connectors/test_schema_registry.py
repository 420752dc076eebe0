"""The live schema registry: its answers, its end, and what is said if it cannot run."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from testkit.live_servers import ENDINGS, had_or_skipped, leave_open

from grader.connectors.change_data.maven_downloads import maven_files
from grader.connectors.change_data.schema_registry import (
    APICURIO,
    RejectedSchema,
    SchemaRegistry,
    schema_registry,
)
from grader.errors import SetupError
from grader.runtime.java import Java
from grader.scenario import read_scenario

DATASETS = Path(__file__).parents[2] / "datasets"


@pytest.fixture(scope="module")
def registry() -> Iterator[SchemaRegistry]:
    had_or_skipped(lambda: maven_files([APICURIO], "Apicurio Registry", 159))
    with schema_registry() as running:
        yield running


@pytest.mark.slow
def test_the_recorded_answers_are_those_of_the_registry(registry: SchemaRegistry) -> None:
    for event in read_scenario(DATASETS / "schema_versions.jsonl").events:
        registry.register(f"pair{event.step}-value", event.value["old"])
        try:
            registry.register(f"pair{event.step}-value", event.value["new"])
            said = "accepted"
        except RejectedSchema as error:
            said = f"409: {str(error).partition('diff types: ')[2]}"
        assert event.note.endswith(f"; {said}")


@pytest.mark.slow
def test_hidden_pairs_of_17_4_get_the_answers_of_the_registry(registry: SchemaRegistry) -> None:
    from testkit.lesson_places import exercise

    source = exercise("17.4")
    assert source is not None
    scenario = source.hidden(seed=17)
    assert scenario is not None
    for event in scenario.events:
        registry.register(f"hidden{event.step}-value", event.value["old"])
        expected = source.solution.function(**event.value)["compatible"]
        assert _takes(registry, event) == expected, event.value


def _takes(registry: SchemaRegistry, event: Any) -> bool:
    try:
        registry.register(f"hidden{event.step}-value", event.value["new"])
    except RejectedSchema:
        return False
    return True


@pytest.mark.slow
def test_a_schema_is_found_by_its_id(registry: SchemaRegistry) -> None:
    schema = {"type": "record", "name": "Found", "fields": [{"name": "a", "type": "int"}]}
    number = registry.register("found-value", schema)
    assert registry.schema(number) == schema
    assert registry.register("found-value", schema) == number


@pytest.mark.slow
@pytest.mark.parametrize("end", ENDINGS.values(), ids=ENDINGS)
def test_nothing_is_left_if(end: Callable[..., Any]) -> None:
    had_or_skipped(lambda: maven_files([APICURIO], "Apicurio Registry", 159))
    leave_open(
        "from grader.connectors.change_data.schema_registry import schema_registry\n"
        "open.enter_context(schema_registry(say=lambda line: None))",
        end,
    )


def test_an_old_java_is_refused_with_the_fix(monkeypatch: pytest.MonkeyPatch) -> None:
    old = Java(Path("/opt/java"), 17, "17.0.15")
    monkeypatch.setattr("grader.connectors.change_data.schema_registry.find_java", lambda: old)
    fix = r"Java 21 or newer.*17\.0\.15\. Fix: unset GRADER_JAVA"
    with pytest.raises(SetupError, match=fix), schema_registry():
        pass
