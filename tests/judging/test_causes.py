"""The event behind a wrong row is named, also where the learner's writer sends whole records."""

from grader.judging.causes import cause_of
from grader.replay.recording import Recording
from grader.scenario import Event, Exercise, Scenario

EXERCISE = Exercise.from_dict(
    {
        "id": "00.1",
        "title": "t",
        "answer": "f",
        "takes": ["clicks"],
        "inputs": {"clicks": {"event_time": "event_time"}},
    }
)
SCENARIO = Scenario(
    [
        Event(1, "clicks", {"event_id": "e1", "page": "/"}, note="a guest"),
        Event(1, "clicks", {"event_id": "e2", "page": "/"}),
        Event(2, "clicks", "<html>", note="malformed: not JSON at all"),
    ]
)


def cause(row: dict[str, object]) -> str:
    return cause_of(row, EXERCISE, SCENARIO, Recording("00.1", steps=2))


def test_a_row_is_traced_to_the_event_with_the_same_id():
    assert cause({"event_id": "e1", "page": "/"}).endswith("of step 1 (a guest).")


def test_where_no_watermark_ever_stood_none_is_spoken_of():
    assert "watermark" not in cause({"event_id": "e1", "page": "/"})


def test_a_record_is_traced_to_the_event_that_was_passed_on():
    assert "<html> of step 2 (malformed" in cause({"topic": "dead", "key": None, "value": "<html>"})


def test_a_record_with_new_fields_is_traced_by_those_that_it_kept():
    value = {"event_id": "e1", "page": "/", "owner": "ann"}
    assert "event_id=e1" in cause({"topic": "owned", "key": None, "value": value})


def test_a_record_that_no_event_fits_has_no_cause():
    assert cause({"topic": "dead", "key": "k", "value": None}) == ""
    assert cause({"topic": "dead", "key": "k", "value": {"event_id": "e9"}}) == ""
