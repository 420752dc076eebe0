"""solutions/ → course/: the students' notebooks by nbgrader's own generate step, and the check packs."""

from __future__ import annotations

import hashlib
import json
import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import nbformat
import pyspark
from nbformat import NotebookNode

import grader
from grader.authoring.prove import SIDE_BY_SIDE, Bench, expected_of, fingerprints_of
from grader.authoring.source import STUB, ExerciseSource, LessonSource, Prediction, solved_away
from grader.feedback.path import value_at
from grader.judging.pack import (
    FILE_NAME,
    Pack,
    PackedExercise,
    PackedPrediction,
    PackError,
    read_pack,
    write_pack,
)
from grader.runtime.paths import cache_dir, own_commands_first

Tell = Callable[[str], None]


def build(
    lessons: list[LessonSource],
    course: Path,
    bench: Callable[[], Bench],
    tell: Tell = lambda text: None,
) -> None:
    """Write course/ anew from the lessons. Exercises that did not change are not played again."""
    packs = packs_of(lessons, bench, tell)
    with student_notebooks(lessons) as generated:
        for lesson in lessons:
            folder = course / lesson.name
            folder.mkdir(parents=True, exist_ok=True)
            name = f"{lesson.name}.ipynb"
            shutil.copyfile(generated / lesson.name / name, folder / name)
            write_pack(packs[lesson.id], folder / FILE_NAME)
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
                made_from = read_pack(course / lesson.name / FILE_NAME).made_from
            except PackError as error:
                found.append(str(error))
                continue
            if made_from != _lesson_hash(lesson):
                found.append(f"course/{lesson.name}/{FILE_NAME} was made from other sources")
    names = {lesson.name for lesson in lessons}
    found += [
        f"course/{p.name} has no source" for p in course.glob("[0-9][0-9]_*") if p.name not in names
    ]
    return found


@contextmanager
def student_notebooks(lessons: list[LessonSource], db_url: str | None = None) -> Iterator[Path]:
    """A folder with the notebooks as nbgrader releases them: NAME/NAME.ipynb.

    `db_url` names the grade book that learns of the assignments; by default one that is thrown away.
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


def source_notebook(lesson: LessonSource) -> NotebookNode:
    """The lesson as an instructor's notebook; the same text gives the same bytes."""
    notebook = nbformat.v4.new_notebook()
    notebook.metadata = {
        "kernelspec": {
            "display_name": "Python 3 (ipykernel)",
            "language": "python",
            "name": "python3",
        },
        "language_info": {"name": "python"},
    }
    for number, cell in enumerate(lesson.notebook.cells):
        copy = nbformat.from_dict({**cell, "metadata": {**cell.metadata}})
        copy["id"] = hashlib.sha256(f"{lesson.name} {number} {cell.source}".encode()).hexdigest()[
            :12
        ]
        copy.metadata.pop("lines_to_next_cell", None)  # jupytext's own bookkeeping
        if "nbgrader" in copy.metadata:
            copy.metadata["nbgrader"] = {
                "schema_version": 3,
                "task": False,
                "cell_type": copy.cell_type,
                **copy.metadata["nbgrader"],
            }
        notebook.cells.append(copy)
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


def packs_of(
    lessons: list[LessonSource], bench: Callable[[], Bench], tell: Tell = lambda text: None
) -> dict[str, Pack]:
    """Lesson id → check pack; what was played before with the same sources comes from the cache."""
    parts = [source for lesson in lessons for source in lesson.parts]
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        played = list(pool.map(lambda source: _packed_exercise(source, bench, tell), parts))
    return {
        lesson.id: Pack(
            lesson.id,
            lesson.slug,
            lesson.title,
            {
                source.exercise.id: packed
                for source, packed in zip(parts, played, strict=True)
                if source.lesson is lesson
            },
            _lesson_hash(lesson),
        )
        for lesson in lessons
    }


def _packed_exercise(
    source: ExerciseSource, bench: Callable[[], Bench], tell: Tell
) -> PackedExercise:
    folder = cache_dir() / "packed"
    folder.mkdir(parents=True, exist_ok=True)
    cached = folder / f"{source.exercise.id}-{_played_hash(source)}.pack"
    try:
        return read_pack(cached).exercises[source.exercise.id]
    except (PackError, KeyError):
        pass
    tell(f"  playing {source.exercise.id} {source.exercise.title}")
    expected = expected_of(bench(), source)
    broken = [f"{name}: {rec.failure.message}" for name, rec in expected.items() if rec.failure]
    if broken:
        raise PackError(f"{source.exercise.id}: the solution does not run ({'; '.join(broken)}).")
    public = {name: rec for (scenario, name), rec in expected.items() if scenario == "public"}
    public.pop("crash", None)
    recording = public["as_is"]
    packed = PackedExercise(
        exercise=source.exercise,
        public=source.public,
        expected=public,
        fingerprints=fingerprints_of(bench(), source, expected),
        hints=source.hints,
        predictions=[_answered(p, value_at(recording, p.path)) for p in source.predictions],
        subject=source.subject_text,
        equivalents=len(source.equivalents),
        cell=""
        if source.exercise.kind == "example"
        else solved_away(source.lesson.cell(source.exercise.answer)),
    )
    write_pack(Pack(source.lesson.id, "", "", {source.exercise.id: packed}), cached)
    return packed


def _answered(prediction: Prediction, answer: str) -> PackedPrediction:
    return PackedPrediction(
        prediction.name, prediction.question, answer, prediction.why, prediction.wrong
    )


def _lesson_hash(lesson: LessonSource) -> str:
    return _hash([lesson.title, *(_sources_hash(source) for source in lesson.parts)])


def _sources_hash(source: ExerciseSource) -> str:
    """A hash of all that an exercise is made from: its folder, its dataset, its cell and given cells."""
    files = [
        f"{p.name}\n{p.read_text(encoding='utf-8')}" for p in sorted(source.folder.glob("*.*"))
    ]
    cell = [] if source.exercise.kind == "example" else [source.lesson.cell(source.exercise.answer)]
    public = json.dumps(source.public.to_lines(), sort_keys=True)
    return _hash([*files, public, *source.lesson.given, *cell])


def _played_hash(source: ExerciseSource) -> str:
    """The same with what plays and judges it: engine and Spark."""
    package = Path(grader.__file__).parent
    engine = [package / "authoring" / "prove.py"]
    for room in ("scenario", "replay", "judging"):
        engine += sorted((package / room).glob("*.py"))
    texts = [path.read_text(encoding="utf-8") for path in engine]
    return _hash([_sources_hash(source), pyspark.__version__, *texts])


def _hash(texts: list[str]) -> str:
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16]
