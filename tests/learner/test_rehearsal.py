"""A rehearsal that has no time is the machine's fault, and says what to do."""

import pytest

from grader.errors import SetupError
from grader.judging.play import Play
from grader.learner import rehearsal
from grader.scenario import variants_of
from grader.scenario.recording import Failure, Recording


@pytest.mark.parametrize(("kind", "error"), [("timeout", SetupError), ("query", RuntimeError)])
def test_a_machine_that_is_too_busy_is_told_with_a_fix(
    kind: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    piece = rehearsal.Piece(rehearsal.windows)
    (variant, *_) = variants_of(piece.exercise(), rehearsal.scenario())
    ended = Recording(piece.exercise().id, failure=Failure(kind, fields={"seconds": 60}))
    play = Play("public", variant, Recording(piece.exercise().id), ended)
    monkeypatch.setattr(rehearsal, "plays", lambda *_: [play])
    with pytest.raises(error) as raised:
        rehearsal.play(None, None, piece)  # type: ignore[arg-type]
    assert ("Fix: end what else runs" in str(raised.value)) == (kind == "timeout")
