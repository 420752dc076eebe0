"""Questions grow harder, a topic is mastered by a run of right answers, and comes back after days."""

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

import grader
from grader.judging.check_pack import find_packs, read_pack
from grader.learner import progress
from grader.model.drill import TOPICS, make_question
from grader.model.drill.drill_sitting import Drill
from grader.model.drill.mastery import (
    TO_MASTER,
    after,
    at_first,
    is_due,
    next_topic,
)
from grader.progress_pages.drill_standing import drills_of, due
from grader.progress_pages.progress_page import progress_html

COURSE = Path(__file__).resolve().parents[3] / "course"
DAY = timedelta(days=1)
NOW = datetime(2026, 3, 2, 12, tzinfo=timezone.utc)


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRADER_STATE", str(tmp_path))
    monkeypatch.chdir(COURSE)


def answered(standing: dict, *right: bool, now: datetime = NOW) -> dict:
    for one in right:
        idea = "" if one else "no_delay"
        standing = after(standing, level=standing["level"], idea=idea, now=now)
    return standing


def mastered() -> dict:
    return answered(at_first(), *[True] * TO_MASTER)


def test_two_right_answers_lead_on_and_a_wrong_one_back():
    assert answered(at_first(), True)["level"] == 1
    assert answered(at_first(), True, True)["level"] == 2
    assert answered(at_first(), True, True, False)["level"] == 1
    assert answered(at_first(), True, False, True)["level"] == 1
    assert answered(at_first(), False)["level"] == 1


def test_a_topic_is_mastered_after_a_run_up_to_the_hardest_questions():
    assert not answered(at_first(), *[True] * (TO_MASTER - 1))["mastered"]
    assert mastered()["mastered"]
    assert not answered(at_first(), True, True, False, *[True] * (TO_MASTER - 1))["mastered"]


def test_what_was_mastered_comes_back_after_days_and_later_each_time():
    standing, moment, waits = mastered(), NOW, []
    for _ in range(3):
        assert standing["mastered"] and not is_due(standing, moment)
        waits.append(due(standing) - moment)
        moment = due(standing)
        assert is_due(standing, moment)
        standing = answered(standing, True, now=moment)
    assert DAY <= waits[0] < waits[1] < waits[2]


def test_an_answer_before_its_day_does_not_put_it_off():
    assert due(answered(mastered(), True, True, now=NOW + DAY / 2)) == due(mastered())


def test_a_wrong_answer_asks_for_the_run_anew_and_is_remembered_by_its_idea():
    lost = answered(mastered(), False, now=NOW + DAY)
    assert not lost["mastered"] and lost["run"] == 0 and lost["ideas"] == {"no_delay": 1}
    assert answered(lost, *[True] * TO_MASTER)["mastered"]


def test_the_next_topic_is_what_is_due_then_what_is_not_mastered():
    topics = list(TOPICS)
    assert next_topic(topics, {}, NOW) == topics[0]
    kept = {topics[0]: mastered()}
    assert next_topic(topics, kept, NOW) == topics[1]
    assert next_topic(topics, kept, due(mastered())) == topics[0]
    everything = {topic: mastered() for topic in topics}
    everything[topics[2]] = answered(mastered(), True, now=NOW + 9 * DAY)
    assert next_topic(topics, everything, NOW) != topics[2]


def answer(drill: Drill, *, right: bool) -> None:
    question = drill.next()
    wrong = next(n for n in range(len(question.choices)) if n != question.right)
    drill.answer(question, question.right if right else wrong)


def test_answers_are_kept_with_the_progress_and_shown_on_its_page(
    capsys: pytest.CaptureFixture,
):
    progress.remember_hint("03.2", 1)
    drill = Drill("windows", progress, seed=1)
    for right in (True, True, False):
        answer(drill, right=right)
    assert drill.summary().startswith("2 of 3 right.")
    assert progress.hints_seen("03.2") == 1
    assert progress.drilled()["windows"]["ideas"]
    grader.progress()
    said = capsys.readouterr().out
    assert "· windows: level 1 of 3, 0 right in a row, 2 of 3 right" in said
    for _ in range(TO_MASTER):
        answer(drill, right=True)
    grader.progress()
    assert "✓ windows: mastered, comes back on " in capsys.readouterr().out
    drills = drills_of(progress.drilled())
    page = progress_html([read_pack(path) for path in find_packs(COURSE).values()], {}, "", drills)
    assert (
        "<h3>Drill</h3>" in page and "windows <span" in page and "mastered, comes back on " in page
    )


def test_the_page_says_what_is_due_again():
    entry = {"windows": mastered()}
    (drilled,) = drills_of(entry)
    assert drilled.summary(NOW).startswith(f"mastered, comes back on {due(mastered()).day} March")
    assert drilled.mark(due(mastered())) == "↻"
    assert "due again" in drilled.summary(due(mastered()))


def test_questions_are_as_hard_as_the_learner_stands():
    drill = Drill("joins", progress, seed=3)
    levels = []
    for _ in range(4):
        question = drill.next()
        levels.append(question.level)
        drill.answer(question, question.right)
    assert levels == [1, 1, 2, 2]


def test_a_seed_asks_the_same_questions():
    first, second = Drill("joins", progress, seed=3).next(), Drill("joins", progress, seed=3).next()
    assert first == second == make_question("joins", 1, first.seed)
