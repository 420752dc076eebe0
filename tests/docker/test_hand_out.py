"""The course of a newer image reaches a learner's volume without touching the learner's work."""

from pathlib import Path

from hand_out import hand_out


def course_of(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / "00_lesson" / name.replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def test_a_touched_notebook_stays_and_an_untouched_one_is_brought_up_to_date(
    tmp_path: Path,
) -> None:
    course = course_of(tmp_path / "course", a_ipynb="1", b_ipynb="1", pack_json="1")
    work = tmp_path / "work"
    hand_out(course, work)
    (work / "course" / "00_lesson" / "a.ipynb").write_text("the learner's")
    course_of(course, a_ipynb="2", b_ipynb="2", pack_json="2", c_ipynb="2")
    hand_out(course, work)
    lesson = work / "course" / "00_lesson"
    assert {path.name: path.read_text() for path in lesson.iterdir()} == {
        "a.ipynb": "the learner's",
        "b.ipynb": "2",
        "c.ipynb": "2",
        "pack.json": "2",
    }
