"""What is missing or broken in a checkpoint folder, and what can be read of it all the same."""

import json
import os
from pathlib import Path

import pytest

from grader.live_query.checkpoint_files import Checkpoint


@pytest.fixture
def whole(tmp_path: Path) -> Checkpoint:
    """Three micro-batches of a query with one operator in one partition."""
    (tmp_path / "metadata").write_text('{"id": "a"}')
    for folder in ("offsets", "commits", "state/0/0", "sources/0"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "sources/0/0").write_text('v1\n{"clicks": {"0": 4}}')
    for number in range(3):
        offsets = json.dumps({"clicks": {"0": 5 + number}})
        (tmp_path / f"offsets/{number}").write_text(f"v1\n{{}}\n{offsets}")
        (tmp_path / f"commits/{number}").write_text("v1\n{}")
        (tmp_path / f"state/0/0/{number + 1}.delta").write_text("")
    return Checkpoint(tmp_path)


def test_a_whole_checkpoint_has_no_damage_and_says_where_it_is(whole: Checkpoint) -> None:
    assert whole.damage(stateful=True) == []
    assert whole.began() == {"clicks": {"0": 4}}
    assert whole.committed() == {"clicks": {"0": 7}}


def test_old_files_that_a_snapshot_replaces_are_not_missed(whole: Checkpoint) -> None:
    (whole.path / "state/0/0/2.snapshot").write_text("")
    for number in (1, 2):
        (whole.path / f"state/0/0/{number}.delta").unlink()
    assert whole.damage(stateful=True) == []


@pytest.mark.parametrize(
    ("removed", "said"),
    [
        ("metadata", "the file metadata is missing"),
        ("offsets/1", "the file offsets/1 is missing"),
        ("offsets/2", "the folder offsets has no entry after 1"),
        ("offsets/*", "the folder offsets has no entry"),
        ("state/0/0/*", ""),
        ("state/0/0/2.delta", "the file state/0/0/2.delta is missing"),
        ("state/0/0/3.delta", "the file state/0/0/3.delta is missing"),
    ],
)
def test_what_is_missing_is_named_and_nothing_raises(
    whole: Checkpoint, removed: str, said: str
) -> None:
    for path in list(whole.path.glob(removed)):
        path.unlink()
    assert said in " ".join(whole.damage(stateful=True))
    whole.committed()


def test_a_batch_that_neither_log_has_is_no_damage(whole: Checkpoint) -> None:
    """Asynchronous progress tracking writes the logs at intervals."""
    for folder in ("offsets", "commits"):
        (whole.path / folder / "1").unlink()
    assert whole.damage(stateful=True) == []


@pytest.mark.parametrize(("text", "said"), [("", "is empty"), ("nothing", "cannot be read")])
def test_a_log_that_cannot_be_read_is_named(whole: Checkpoint, text: str, said: str) -> None:
    (whole.path / "offsets/2").write_text(text)
    assert whole.damage(stateful=True) == [f"the file offsets/2 {said}"]
    assert whole.committed() == {}


def test_offsets_that_were_written_after_their_commit_are_of_a_later_run(whole: Checkpoint) -> None:
    os.utime(whole.path / "commits/2", (0, 0))
    assert "of an earlier run were removed" in whole.damage(stateful=True)[0]


def test_a_folder_that_is_not_there_yet_has_no_damage(tmp_path: Path) -> None:
    assert Checkpoint(tmp_path / "none").damage(stateful=True) == []
