"""solutions/ → course/: the students' notebooks by nbgrader's own generate step, and the check packs."""

from __future__ import annotations

import hashlib
import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import jupytext
import nbformat
from nbformat import NotebookNode

from grader.authoring.exercise_digests import packed_from
from grader.authoring.install_cell import with_install_cell
from grader.authoring.lesson_source import STUB, LessonSource
from grader.authoring.pack_build import packs_of, with_words
from grader.authoring.play_store import KeptPlays
from grader.feedback.lens.scene import make_scene
from grader.feedback.lens.svg import draw
from grader.judging.check_pack import (
    FILE_NAME,
    Pack,
    PackedExercise,
    PackError,
    read_pack,
    write_pack,
)
from grader.model.explorer.model_fates import known_beyond
from grader.model.explorer.worked_example import example_of
from grader.runtime.paths import own_commands_first

Notify = Callable[[str], None]
PROGRESS = "progress.ipynb"


def build(
    lessons: list[LessonSource],
    course: Path,
    plays: KeptPlays,
    notify: Notify = lambda text: None,
    *,
    fresh: bool = False,
) -> None:
    """Write course/ from the lessons; With `fresh`, everything that is packed is played again, see `packs_of`."""
    packs = packs_of(lessons, course, plays, notify, fresh=fresh)
    with student_notebooks(lessons) as generated:
        for lesson in lessons:
            folder = course / lesson.name
            folder.mkdir(parents=True, exist_ok=True)
            name = f"{lesson.name}.ipynb"
            shutil.copyfile(generated / lesson.name / name, folder / name)
            write_pack(packs[lesson.id], folder / FILE_NAME)
            for old in folder.glob("*.svg"):
                old.unlink()
            for name, picture in pictures_of(read_pack(folder / FILE_NAME)).items():
                (folder / name).write_text(picture, encoding="utf-8")
    page = progress_notebook(lessons)
    if page is not None:
        (course / PROGRESS).write_text(page, encoding="utf-8")
    for folder in course.glob("[0-9][0-9]_*"):
        if folder.name not in {lesson.name for lesson in lessons}:
            shutil.rmtree(folder)


def differences(lessons: list[LessonSource], course: Path) -> list[str]:
    """Where course/ is not what `build` would make of the lessons. Plays nothing."""
    found = []
    with student_notebooks(lessons) as generated:
        for lesson in lessons:
            name = f"{lesson.name}/{lesson.name}.ipynb"
            wanted = (generated / name).read_bytes()
            if not (course / name).exists() or (course / name).read_bytes() != wanted:
                found.append(f"course/{name} differs from solutions/{lesson.name}/lesson.py")
            try:
                pack = read_pack(course / lesson.name / FILE_NAME)
            except PackError as error:
                found.append(str(error))
                continue
            if not _is_of(pack, lesson):
                found.append(f"course/{lesson.name}/{FILE_NAME} was made from other sources")
                continue
            folder = course / lesson.name
            there = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.svg")}
            if there != pictures_of(pack):
                found.append(f"course/{lesson.name}: its pictures are not what its pack shows")
    page, there_page = progress_notebook(lessons), course / PROGRESS
    if page is not None and not (there_page.exists() and there_page.read_text("utf-8") == page):
        found.append(f"course/{PROGRESS} differs from solutions/progress.py")
    names = {lesson.name for lesson in lessons}
    found += [
        f"course/{p.name} has no source" for p in course.glob("[0-9][0-9]_*") if p.name not in names
    ]
    return found


def _is_of(pack: Pack, lesson: LessonSource) -> bool:
    """Whether a pack was made from a lesson as it is, words and all."""
    parts = {part.exercise.id: part for part in lesson.parts}
    if pack.title != lesson.title or set(pack.exercises) != set(parts):
        return False
    return all(
        packed.made_from == packed_from(parts[id]) and with_words(packed, parts[id]) == packed
        for id, packed in pack.exercises.items()
    )


@contextmanager
def student_notebooks(lessons: list[LessonSource], db_url: str | None = None) -> Iterator[Path]:
    """A folder with the notebooks as nbgrader releases them: NAME/NAME.ipynb.

    The grade book at `db_url` learns the assignments; by default it is a temporary one.
    """
    root = Path(tempfile.mkdtemp(prefix="release-"))
    try:
        for lesson in lessons:
            source = root / "source" / lesson.name
            source.mkdir(parents=True)
            nbformat.write(source_notebook(lesson), source / f"{lesson.name}.ipynb")
            _generate(root, lesson.name, db_url or f"sqlite:///{root}/gradebook.db")
        yield root / "release"
    finally:
        shutil.rmtree(root, ignore_errors=True)


def pictures_of(pack: Pack) -> dict[str, str]:
    """The worked examples' runs as pictures, by file name: they are next to the notebook."""
    examples = {k: p for k, p in pack.exercises.items() if p.exercise.kind == "example"}
    return {f"{id}.svg": _picture(packed) for id, packed in examples.items()}


def _picture(packed: PackedExercise) -> str:
    recording = packed.expected["as_is"]
    known = known_beyond(example_of(packed), packed.exercise, packed.public, recording)
    scene = make_scene(packed.exercise, packed.public, recording, known=known)
    return draw(scene, alone=True)


def progress_notebook(lessons: list[LessonSource]) -> str | None:
    """The page that shows a learner's progress, as a notebook's text; None if there is no source."""
    path = lessons[0].folder.parent / "progress.py"
    if not path.exists():
        return None
    source = jupytext.read(path, fmt="py:percent")
    return nbformat.writes(_notebook("progress", source.cells)) + "\n"  # type: ignore[no-any-return]


def source_notebook(lesson: LessonSource) -> NotebookNode:
    """The lesson as an instructor's notebook; the same text gives the same bytes."""
    return _notebook(lesson.name, lesson.notebook.cells)


def _notebook(name: str, cells: list[NotebookNode]) -> NotebookNode:
    notebook = nbformat.v4.new_notebook()
    notebook.metadata = {
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(cells):
        copy = nbformat.from_dict({**cell, "metadata": {**cell.metadata}})
        copy["id"] = hashlib.sha256(f"{name} {number} {cell.source}".encode()).hexdigest()[:12]
        copy.metadata.pop("lines_to_next_cell", None)  # jupytext's own bookkeeping
        if "nbgrader" in copy.metadata:
            copy.metadata["nbgrader"] = {
                "schema_version": 3,
                "task": False,
                "cell_type": copy.cell_type,
                **copy.metadata["nbgrader"],
            }
        notebook.cells.append(copy)
    notebook.cells = with_install_cell(notebook.cells)
    return notebook


def _generate(root: Path, assignment: str, db_url: str) -> None:
    from nbgrader.converters import GenerateAssignment
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config

    config = Config()
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.assignment_id = assignment
    config.CourseDirectory.db_url = db_url
    config.GenerateAssignment.create_assignment = True
    config.GenerateAssignment.force = True
    config.ClearSolutions.code_stub = {"python": STUB}
    own_commands_first()  # nbgrader calls alembic by its name
    log = logging.getLogger("nbgrader-generate")
    log.setLevel(logging.ERROR)
    GenerateAssignment(coursedir=CourseDirectory(config=config), config=config, log=log).start()
