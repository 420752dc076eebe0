"""How rows differ is said of the step in which they do, and so that it can be read."""

from typing import Any

from tasks import task

from grader.judging import criteria
from grader.judging.answer_judges import judge_of
from grader.judging.finding import Judgement
from grader.judging.play import Play
from grader.judging.state_bound import state
from grader.judging.wording.criterion_text import criterion_text
from grader.scenario import Event, Exercise, Scenario, Variant
from grader.scenario.recording import Batch, Operator, Plan, Recording


def run(*steps: list[dict[str, Any]], mode: str = "append") -> Recording:
    batches = [Batch(n, n, rows_in=1, rows=rows) for n, rows in enumerate(steps, start=1)]
    return Recording("99.1", steps=len(steps), batches=batches, plan=Plan(output_mode=mode))


def played(
    expected: Recording, actual: Recording, name: str = "as_is", crash: int | None = None
) -> Play:
    events = [Event(n, "c", {"page": "/"}) for n in range(1, expected.steps + 1)]
    return Play("public", Variant(name, Scenario(events), crash), expected, actual)


def said(exercise: Exercise, expected: Recording, actual: Recording) -> str:
    play = played(expected, actual)
    return text(exercise, play, judge_of(exercise).rows(play))


def text(exercise: Exercise, play: Play, judged: Judgement) -> str:
    return criterion_text(exercise, play, judged.why)


def test_a_table_is_told_of_as_it_stands_after_the_first_step_in_which_it_is_wrong() -> None:
    right = run([{"page": "/"}], [{"page": "/"}, {"page": "/b"}, {"page": "/c"}])
    wrong = run([{"page": "/"}], [{"page": "/"}, {"page": "/b"}])
    message = said(task(returns="table"), right, wrong)
    assert message.startswith("After step 2, expected 3 rows, got: 1 row missing.")


def test_where_rows_are_told_again_each_step_is_compared_by_itself() -> None:
    right = run([{"page": "/", "n": 2}], [{"page": "/", "n": 4}], mode="update")
    wrong = run([{"page": "/", "n": 1}], [{"page": "/", "n": 2}], mode="update")
    message = said(task(output_mode="update"), right, wrong)
    assert "wrong value in step 1: page=/: n is 1, expected 2" in message
    assert "wrong value in step 2: page=/: n is 2, expected 4" in message


def test_a_right_row_that_comes_once_more_is_told_as_such() -> None:
    row = {"page": "/tea", "n": 1}
    message = said(task(), run([row], []), run([row], [row]))
    assert "unexpected in step 2 (this row was there already): page=/tea · n=1" in message
    other = said(task(), run([row], []), run([row], [{"page": "/pie", "n": 1}]))
    assert "came before" not in other
    # where rows are told again as they change, each step speaks for itself
    told = said(
        task(output_mode="update"),
        run([row], [{"page": "/pie", "n": 1}], mode="update"),
        run([row], [{"page": "/pie", "n": 1}, row], mode="update"),
    )
    assert "unexpected in step 2: page=/tea" in told


def record(topic: str, value: Any) -> dict[str, Any]:
    return {"topic": topic, "key": None, "value": value}


def test_records_are_counted_by_topic_and_their_fields_compared() -> None:
    writer = task(returns="writer", outputs=["valid", "dead"])
    right = run([record("valid", {"id": "e1", "page": "/", "x": None}), record("dead", "<p>")])
    wrong = run([record("valid", {"id": "e1", "page": "", "y": 1}), record("valid", "<p>")])
    message = said(writer, right, wrong)
    assert "records: 2 in `valid` (expected 1), 0 in `dead` (expected 1)" in message
    assert (
        "value.page is '', expected /, value.x is missing, expected null, value.y unexpected"
        in (message)
    )
    assert "key=null · value='<p>': topic is valid, expected dead" in message


def test_where_nothing_came_into_a_writers_topics_they_are_named() -> None:
    message = said(task(returns="writer", outputs=["valid"]), run([record("valid", "a")]), run([]))
    assert "Expected 1 row in `valid`, got none." in message
    assert 'kafka.topic("valid")' in message


def test_rows_on_several_days_have_their_dates() -> None:
    first, second = ({"page": "/", "at": f"2026-03-0{day}T12:00:00Z"} for day in (1, 2))
    message = said(task(), run([first]), run([second]))
    assert "at is 2026-03-02 12:00:00, expected 2026-03-01 12:00:00" in message
    message = said(task(), run([first, second]), run([first]))
    assert "missing in step 1: page=/ · at=2026-03-02 12:00:00" in message


def test_two_values_that_read_the_same_are_told_as_python_writes_them() -> None:
    message = said(task(), run([{"page": "/", "n": 1}]), run([{"page": "/", "n": "1"}]))
    assert "n is '1', expected 1" in message


def test_another_watermark_is_told_beside_wrong_rows() -> None:
    def late(n: int, minute: int, dropped: int) -> Recording:
        watermark = f"2026-03-01T12:0{minute}:00.000Z"
        first = Batch(1, 1, rows_in=1, watermark=watermark, operators=[Operator("count")])
        drops = [Operator("count", dropped=dropped)]
        return Recording(
            "99.1",
            steps=2,
            batches=[first, Batch(2, 2, rows_in=1, rows=[{"n": n}], operators=drops)],
        )

    message = said(task(), late(2, minute=1, dropped=0), late(1, minute=3, dropped=1))
    assert "In step 2 your query dropped 1 row as late, the solution nothing." in message
    assert "After step 1 the watermark of your query is 12:03:00, expected 12:01:00." in message


WRITER = task(returns="writer", outputs=["cards"], criteria=["rows", "restart"])
ONCE = task(returns="writer", outputs=["cards"], criteria=["rows", "exactly_once"])


def cards(*counts: int) -> Recording:
    steps = [[{**record("cards", {"who": "ana", "n": n}), "key": "ana"}] for n in counts]
    return run(*steps, mode="update")


def killed(exercise: Exercise, expected: Recording, actual: Recording) -> str:
    play = played(expected, actual, "crash", crash=1)
    return text(exercise, play, judge_of(exercise).restart(play))


def test_counts_that_have_grown_after_a_kill_were_counted_twice() -> None:
    assert "runs again was counted already" in killed(WRITER, cards(1, 2, 3), cards(1, 3, 4))


def test_counts_that_have_shrunk_after_a_kill_are_gone() -> None:
    assert "counted before the kill is lost" in killed(WRITER, cards(1, 2, 3), cards(1, 1, 2))


def test_after_a_kill_a_record_is_held_against_that_of_its_own_step() -> None:
    message = killed(WRITER, cards(1, 3, 5, 6), cards(1, 5, 7, 8))
    assert "1 row" not in message and "3 rows with a wrong value" in message
    assert "n is 5, expected 3" in message and "n is 8, expected 6" in message


def test_rows_that_came_twice_after_a_kill_are_told_so() -> None:
    twice = cards(1, 2)
    twice.batches.insert(1, Batch(1, 1, rows=twice.batches[0].rows, rerun=True))
    message = killed(ONCE, cards(1, 2), twice)
    assert "1 row unexpected" in message
    assert "its rows reached the sink twice" in message


def test_what_the_first_play_left_behind_is_seen_before_the_kill() -> None:
    message = killed(ONCE, cards(1, 2), run([], cards(1, 2).batches[1].rows))
    assert (
        "In the first run step 1 was right. In the second, before any kill, it differs" in message
    )
    assert "twice" not in message.split("Why")[1]


def test_a_row_at_the_wrong_step_is_told_with_both_steps() -> None:
    row = {"page": "/", "n": 1}
    soon, late = run([row], []), run([], [row])
    assert "was emitted in step 1, expected in step 2." in at_other_step(late, soon)
    assert "was emitted in step 2, expected in step 1." in at_other_step(soon, late)


def at_other_step(expected: Recording, actual: Recording) -> str:
    play = played(expected, actual)
    return text(task(), play, criteria.step(play))


def test_another_clock_is_seen_and_not_blamed_for_a_row_at_the_wrong_step() -> None:
    def early(column: str, minute: int, *rows: list[dict[str, Any]]) -> Recording:
        plain = run(*rows)
        plain.plan = Plan(watermarks=[column])
        plain.batches[0].watermark = f"2026-03-01T12:0{minute}:00.000Z"
        return plain

    row = {"page": "/", "n": 1}
    right = early("event_time", 1, [], [row])
    same_clock, other_clock = early("event_time", 3, [row], []), early("arrived", 3, [row], [])
    stands = "After step 1 the watermark of your query is 12:03:00"
    message = at_other_step(right, same_clock)
    assert f"Why: {stands}, expected 12:01:00." in message
    message = at_other_step(right, other_clock)
    assert f"{stands}, that of the solution 12:01:00." in message
    assert "Why" not in message


def test_of_a_row_that_comes_twice_the_one_that_makes_up_for_it_is_found() -> None:
    row = {"page": "/", "n": 1}
    right, wrong = run([row], [row], [row], []), run([row], [], [row, row], [])
    message = at_other_step(right, wrong)
    assert "was emitted in step 3, expected in step 2." in message


def keeping(watermarks: list[str], *kept: Operator) -> Recording:
    batch = Batch(1, 1, rows_in=1, watermark="2026-03-01T12:00:00Z", operators=list(kept))
    return Recording("99.1", steps=1, batches=[batch], plan=Plan(watermarks=watermarks))


COUNT, DEDUPE = "stateStoreSave", "dedupeWithinWatermark"


def why_kept(right: Recording, got: Recording) -> str:
    play = played(right, got)
    return text(task(), play, state(play))


def test_of_two_operators_the_one_that_keeps_most_too_much_is_told_of() -> None:
    right = keeping(["t"], Operator(COUNT, 1), Operator(DEDUPE, 1))
    assert "Spark evicts a group" in why_kept(
        right, keeping(["t"], Operator(DEDUPE, 2), Operator(COUNT, 9))
    )
    assert "Spark evicts a key of a deduplication" in why_kept(
        right, keeping(["t"], Operator(COUNT, 2), Operator(DEDUPE, 9))
    )


def test_one_operator_more_than_is_needed_is_told_as_such() -> None:
    two = keeping(["t"], Operator(COUNT, 1), Operator(COUNT, 1))
    message = why_kept(keeping(["t"], Operator(COUNT, 1)), two)
    assert (
        "in your query: 2, each with its own state; 1 would be enough." in message
        and "hold a window" not in message
    )


def test_a_watermark_that_stands_nowhere_is_not_taken_for_one_that_is_not_set() -> None:
    right = keeping(["t"], Operator(COUNT, 1))
    got = keeping(["t", "window"], Operator(COUNT, 4))
    got.batches[0].watermark = None
    assert "sets watermarks on `t` and `window`, and its watermark never advanced" in why_kept(
        right, got
    )
    got.plan.watermarks = ["t"]
    assert (
        "on `t`, and it never advanced: in each stream a row with a time must reach it"
        in why_kept(right, got)
    )
    got.plan.watermarks = []
    assert "Your query has no watermark. So Spark never evicts" in why_kept(right, got)
    right.batches[0].watermark = None  # the solution needs none
    assert "watermark" not in why_kept(right, got).split(". ")[0]


def test_a_row_is_held_against_one_of_its_own_step_before_one_that_is_more_like_it() -> None:
    right = run([{"page": "/", "n": 1, "m": 1.0}], [{"page": "/", "n": 3, "m": 2.0}])
    wrong = run([{"page": "/", "n": 3, "m": 9.0}], [{"page": "/", "n": 3, "m": 2.5}])
    message = said(task(), right, wrong)
    assert "wrong value in step 1: page=/: n is 3, expected 1, m is 9.0, expected 1.0" in message
    assert "wrong value in step 2: page=/ · n=3: m is 2.5, expected 2.0" in message


def kept(*rows: int, by: str = "transformWithStateInPySparkExec") -> Recording:
    batches = [
        Batch(n, n, rows_in=1, watermark="2026-03-01T12:00:00Z", operators=[Operator(by, count)])
        for n, count in enumerate(rows, start=1)
    ]
    return Recording("99.1", steps=len(rows), batches=batches, plan=Plan(watermarks=["t"]))


def test_a_processor_may_keep_what_is_one_row_in_several_variables() -> None:
    right = kept(3, 2, 3, 1)
    assert state(played(right, kept(6, 4, 6, 2))).passed
    assert not state(played(right, kept(3, 3, 5, 4))).passed
    forgets_one_of_two = why_kept(right, kept(6, 5, 8, 4))
    assert "6, 5, 8, 4; expected 2 at the end." in forgets_one_of_two
    one_row_a_key = kept(6, 4, 6, 2, by=COUNT)
    assert not state(played(kept(3, 2, 3, 1, by=COUNT), one_row_a_key)).passed


def clocked(*minutes: int | None) -> Recording:
    """A run whose watermark is at this minute past 12 after each step."""
    at = [None if m is None else f"2026-03-01T12:{m:02d}:00.000Z" for m in minutes]
    found = run(*([] for _ in minutes))
    found.plan = Plan(watermarks=["event_time"])
    for batch, watermark in zip(found.batches, [None, *at], strict=False):
        batch.watermark = watermark
    found.batches.append(Batch(len(minutes) + 1, len(minutes), watermark=at[-1]))
    return found


def watermark_message(right: Recording, got: Recording) -> str:
    play = played(right, got)
    return text(task(), play, criteria.watermark(play))


def test_a_delay_that_is_too_long_or_too_short_is_measured_and_asked_about() -> None:
    right = clocked(10, 14, 14, 19)
    message = watermark_message(right, clocked(8, 12, 12, 17))
    assert "is 12:08:00, expected 12:10:00. It is 2 minutes earlier after every step" in message
    assert "is the delay of withWatermark 2 minutes too long?" in message
    message = watermark_message(right, clocked(11, 15, 15, 20))
    assert "1 minute later after every step: is the delay of withWatermark 1 minute too short?" in (
        message
    )


def test_watermarks_that_differ_otherwise_say_nothing_of_the_delay() -> None:
    right = clocked(10, 14, 14, 19)
    for other in (clocked(8, 12, 14, 17), clocked(None, 12, 12, 17)):
        assert "delay of withWatermark" not in watermark_message(right, other)
    assert "delay of" not in watermark_message(clocked(10, 10), clocked(8, 8)), "one is too few"
