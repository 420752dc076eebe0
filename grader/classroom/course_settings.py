"""nbgrader's settings of a course, and the folders that they name."""

from __future__ import annotations

from pathlib import Path

from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config, PyFileConfigLoader

from grader.errors import SetupError
from grader.judging.check_pack import FILE_NAME

CONFIG = "nbgrader_config.py"
RECORD, GRADE = (f"grader.classroom.preprocessors.{name}" for name in ("Record", "Grade"))


def read_config(root: Path, submitted: Path) -> Config:
    """nbgrader_config.py of a course, with the folder of this class.

    Raises SetupError where there is none, or where it lets submissions run unjudged.
    """
    if not (root / CONFIG).is_file():
        raise SetupError(
            f"There is no {CONFIG} in {root}: grade in the project's folder, which has one."
        )
    config = PyFileConfigLoader(CONFIG, path=str(root)).load_config()
    names = config.Autograde.get("autograde_preprocessors", [])
    if RECORD not in names or GRADE not in names:
        raise SetupError(
            f"c.Autograde.autograde_preprocessors in {root / CONFIG} lacks {RECORD} or {GRADE}: without "
            "them submissions run outside of any sandbox and nobody judges. Put them back."
        )
    config.CourseDirectory.root = str(root)
    config.CourseDirectory.submitted_directory = str(submitted)
    return config


def course_of(config: Config) -> CourseDirectory:
    return CourseDirectory(config=config)


def released(course: CourseDirectory, assignment: str) -> Path:
    """The folder of a lesson as students get it, such as course/03_watermarks."""
    return Path(course.format_path(course.source_directory, ".", assignment)).resolve()


def lesson_notebook(lesson: Path) -> Path | None:
    """The notebook of a lesson's folder, if it has one; others that lie there are somebody's own."""
    own = lesson / f"{lesson.name}.ipynb"
    return own if own.is_file() else None


def lesson_named(course: CourseDirectory, lesson: str) -> str:
    """The folder's name of a lesson that is named by it or by its id, such as 03."""
    courses = released(course, lesson).parent
    names = sorted(path.parent.name for path in courses.glob(f"*/{FILE_NAME}"))
    if name := lesson_among(names, lesson):
        return name
    there = ", ".join(names) or "none"
    raise SetupError(f"There is no lesson {lesson} in {courses}; there are: {there}.")


def lesson_among(names: list[str], lesson: str) -> str | None:
    return next((name for name in names if lesson in (name, name.split("_", 1)[0])), None)


def solutions_of(lesson: Path) -> Path | None:
    """The source of a lesson in course/, where this machine has it."""
    source = lesson.parent.parent / "solutions" / lesson.name
    return source if source.is_dir() else None


def autograded_folder(course: CourseDirectory, student: str, lesson: str) -> Path:
    """The folder of a student's graded notebook, which is its page."""
    return Path(course.format_path(course.autograded_directory, student, lesson))


def grading_folder(course: CourseDirectory) -> Path:
    """The teacher's own folder of what grading keeps: runs, journal, secret. Not for students."""
    folder = Path(course.root) / "grading"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder
