"""State rows are told in the words of the query, without what Spark puts around them."""

import pytest

from grader.feedback.lens.state_rows import state_text

TIME = "2026-03-01T12:10:00Z"


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"key": "tea", "ad_id": "tea", "shown": TIME}, "ad_id=tea · shown=12:10:00"),
        ({"field0": "tea", "ad_id": "tea"}, "ad_id=tea"),
        ({"key": {"field0": "a", "field1": 2}, "id": "a", "n": 2}, "id=a · n=2"),
        ({"key": "mia", "total": 25.0}, "key=mia · total=25.0"),
        ({"key": "mia", "groupState": {"total": 25.0}}, "key=mia · total=25.0"),
        ({"user": "mia", "sessionStartTime": TIME, "count": 2}, "user=mia · count=2"),
        ({"id": "a", "expiresAtMicros": 1_772_367_000_000_000}, "id=a · kept until 12:10:00"),
    ],
)
def test_a_state_row_is_told_without_its_key_said_twice(row: dict[str, object], told: str) -> None:
    assert state_text(row) == told
