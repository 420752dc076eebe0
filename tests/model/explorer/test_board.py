"""A small stream to play with: every knob, every move of an event, and what is said of it."""

from __future__ import annotations

import subprocess
import sys

import pytest
from model.course import known

from grader.model import Refused, run
from grader.model.explorer.board import Board, CannotPlay
from grader.model.explorer.knobs import knobs_of, turned
from grader.model.query_reader import query_of

PLAYED = ("03.0", "04.0", "05.0", "06.0", "07.0", "08.0")


def board(id: str = "03.0") -> Board:
    source = known()[id]
    return Board.of(
        source.exercise, source.public, query_of(source.solution.function, source.exercise)
    )


def rows(of: Board) -> list[tuple[int, int]]:
    return [(b.step, row["clicks"]) for b in of.played.recording.batches for row in b.rows]


def test_a_longer_delay_keeps_what_was_late_and_a_shorter_one_drops_it() -> None:
    one = board()
    assert "dropped" in {mark.fate for mark in one.scene().marks}
    one.turn("delay", "10 minutes")
    assert {mark.fate for mark in one.scene().marks} == {"counted"}
    assert any("is not dropped any more." in line for line in one.said)
    one.turn("delay", "2 minutes")
    assert any("is dropped as late now." in line for line in one.said)


def test_a_row_that_comes_later_is_told_by_its_steps() -> None:
    one = board()
    before = rows(one)
    one.turn("delay", "10 minutes")
    assert rows(one) != before
    assert any("step" in line and "in step" in line for line in one.said), one.said


def test_an_event_is_the_same_one_after_it_was_moved() -> None:
    one = board()
    last = max(one.events)
    came = one.events[last].value
    one.move(last, 1)
    assert one.events[last].step == 1 and one.events[last].value == came
    one.shift(last, -60)
    assert one.events[last].value != came
    another = one.add(last)
    assert one.events[another] == one.events[last]
    one.remove(another)
    assert another not in one.events


def test_what_spark_refuses_is_said_and_changes_nothing() -> None:
    one = board("08.0")
    was = one.played
    with pytest.raises(CannotPlay, match="Spark refuses this: session windows"):
        one.turn("mode", "update")
    assert one.played is was and one.query.mode == "append"


@pytest.mark.parametrize("id", PLAYED)
def test_every_knob_changes_just_what_it_names(id: str) -> None:
    one = board(id)
    assert one.knobs
    for knob in one.knobs:
        for value in knob.choices:
            query = turned(one.query, knob.name, value)
            now = {k.name: k.value for k in knobs_of(query)}
            assert now[knob.name] == value
            others = {k.name: k.value for k in one.knobs if k.name != knob.name}
            changed = {name for name, was in others.items() if now.get(name, was) != was}
            assert changed <= {
                knob.name.replace("window", "slide")
            }  # a slide belongs to its window
            try:
                run(query, one.scenario)
            except Refused:
                assert knob.name == "mode"


def test_an_unknown_knob_names_those_that_exist() -> None:
    with pytest.raises(KeyError, match=r"it has \['delay', 'slide', 'window'\]"):
        turned(board().query, "gap", "1 minute")


def test_nothing_of_spark_is_needed() -> None:
    program = (
        "import sys\n"
        "import grader.model.explorer.explorer_widget, grader.model.query_reader\n"
        "assert not any(name.split('.')[0] in ('pyspark', 'pandas') for name in sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_row_that_changed_before_the_last_one_is_the_one_that_is_told() -> None:
    one = board("03.0")
    one.turn("mode", "update")
    moved = next(n for n, event in one.events.items() if "12:02:10" in str(event.value))
    assert one.events[moved].step == 1
    one.move(moved, 2)
    told = [line for line in one.said if line.startswith("In step 1 the row of")]
    assert told and all(" instead of " in line for line in told), one.said
    assert not [line for line in one.said if "is now" in line]


def test_an_event_whose_time_is_none_is_refused_in_words() -> None:
    one = board("00.0")
    strange = next(n for n, event in one.events.items() if "yesterday" in str(event.value))
    with pytest.raises(CannotPlay, match="no time in ISO 8601"):
        one.shift(strange, 10)


def test_two_delays_are_told_apart() -> None:
    labels = [knob.label for knob in board("03.3").knobs if knob.label.startswith("delay of")]
    assert len(labels) == len(set(labels)) == 2, labels


def test_one_more_of_the_same_event_is_told_as_one_more_row() -> None:
    one = board("06.0")
    first = min(one.events)
    one.add(first)
    assert any("2 times" in line and "instead of once" in line for line in one.said), one.said
