"""A course as nbgrader's settings have it: its folders, its grade book, its secret."""

from __future__ import annotations

import warnings
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SAWarning
from traitlets.config import Application, Config, PyFileConfigLoader

from grader.classroom.course_secret import course_secret, seed_of
from grader.errors import SetupError
from grader.judging.check_pack import FILE_NAME, Pack, read_pack
from grader.runtime.paths import own_commands_first

own_commands_first()  # nbgrader calls alembic by its name
# nbgrader's own models against this SQLAlchemy; a teacher can do nothing about it
warnings.filterwarnings("ignore", category=SAWarning, module=r"nbgrader\.api")
CONFIG = "nbgrader_config.py"
RECORD, GRADE = (f"grader.classroom.preprocessors.{name}" for name in ("Record", "Grade"))


class Course:
    """What nbgrader knows about a course; `lesson` is the name of a folder in it, such as 03_watermarks."""

    def __init__(self, config: Config, directory: CourseDirectory | None = None):
        self.config = config
        self.directory = directory or CourseDirectory(config=config)
        self.db_url = str(self.directory.db_url)

    @classmethod
    def read(cls, root: Path, submitted: Path) -> Course:
        """The course in a folder with an nbgrader_config.py, with the folder of this class.

        Raises SetupError if there is none, or if it lets submissions run unjudged.
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
        return cls(config)

    @classmethod
    def running(cls, config: Config) -> Course:
        """The course as the running nbgrader command sees it, else by the settings."""
        running = Application.instance() if Application.initialized() else None
        directory = getattr(running, "coursedir", None)
        return cls(config, directory if isinstance(directory, CourseDirectory) else None)

    def book(self) -> Gradebook:
        """Its grade book, opened: a context."""
        return Gradebook(self.db_url, self.directory.course_id)

    def released(self, lesson: str) -> Path:
        """The folder of a lesson as students get it, such as course/03_watermarks."""
        found = self.directory.format_path(self.directory.source_directory, ".", lesson)
        return Path(found).resolve()

    def notebook(self, lesson: str) -> Path:
        """The notebook of a lesson; other notebooks in its folder are people's own."""
        return self.released(lesson) / f"{lesson}.ipynb"

    def pack(self, lesson: str) -> Pack:
        return read_pack(self.released(lesson) / FILE_NAME)

    def solutions(self, lesson: str) -> Path | None:
        """The source of a lesson, if this machine has it."""
        source = self.released(lesson).parent.parent / "solutions" / lesson
        return source if source.is_dir() else None

    def page(self, student: str, lesson: str) -> Path:
        """A student's graded notebook."""
        graded = self.directory.autograded_directory
        return Path(self.directory.format_path(graded, student, lesson)) / f"{lesson}.ipynb"

    @property
    def grading(self) -> Path:
        """The teacher's own folder for what grading keeps: runs, journal, secret. Not for students."""
        folder = Path(self.directory.root) / "grading"
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder

    def lessons(self) -> list[str]:
        """The folders' names of the lessons that there are."""
        paths = self.released("lesson").parent.glob(f"*/{FILE_NAME}")
        return sorted(path.parent.name for path in paths)

    def lesson_named(self, lesson: str) -> str:
        """The folder's name of a lesson that is named by it or by its id, such as 03."""
        names, courses = self.lessons(), self.released(lesson).parent
        if name := lesson_among(names, lesson):
            return name
        there = ", ".join(names) or "none"
        raise SetupError(f"There is no lesson {lesson} in {courses}; there are: {there}.")

    def hidden_seed(self, lesson: str, student: str | None = None) -> int:
        """The seed of the hidden events of a lesson for the class, or for one student."""
        names = [lesson] if student is None else [lesson, student]
        return seed_of(course_secret(self.grading), *names)


def lesson_among(names: list[str], lesson: str) -> str | None:
    return next((name for name in names if lesson in (name, name.split("_", 1)[0])), None)
