"""A class in which somebody attacks: ada is honest, each attack is a student, `grader grade` grades all.

The lesson's exercises are all the same: the clicks with n twice what it was.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
from forms import HandedIn, Notebook, Page
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.utils import compute_checksum
from pages import add_page
from world import PROJECT

from grader.classroom.class_grades import ClassGrades
from grader.classroom.class_grading import grade_class
from grader.classroom.submission_result import SubmissionResult
from grader.judging.check_pack import FILE_NAME, Pack, PackedExercise, write_pack
from grader.sandbox import runner_process, supervisor
from grader.scenario import Event, Exercise, Input, Scenario
from grader.scenario.recording import Batch, Recording
from grader.validity.digest import folder_digest

LESSON = "92_attacked"
HERE = Path(__file__).parent
HONEST = 2  # the last exercises: everybody answers them well
CELL_SECONDS = 3
SCHEMA = [{"name": "page", "type": "string"}, {"name": "n", "type": "integer"}]
CANARY = "a word that nobody else may read"

RIGHT = "def answer(clicks):\n    return [{**row, 'n': 2 * row['n']} for row in clicks]"
RIGHT_OF_SPARK = (
    "from pyspark.sql import functions as F\n"
    "def answer(clicks):\n    return clicks.select('page', (F.col('n') * 2).alias('n'))"
)
# the judge's own side draws other events
SOLUTION = """# %% [markdown]
# # Attacked

# %% tags=["given"]
import grader
from pyspark.sql import DataFrame, functions as F

# %% tags=["start"]
spark, kafka = grader.start()
"""
ANSWER = """

# %% nbgrader={{"grade": false, "grade_id": "answer_{n}", "locked": false, "solution": true}}
def answer_{n}(clicks: DataFrame) -> DataFrame:
    ### BEGIN SOLUTION
    return clicks.select("page", (F.col("n") * 2).alias("n"))
    ### END SOLUTION


# %% nbgrader={{"grade": true, "grade_id": "check-answer_{n}", "locked": true, "points": 2, "solution": false}}
grader.check("92.{n}", answer_{n})
"""
EXERCISE = """id = "92.{n}"
title = "Twice"
answer = "answer_{n}"
points = 2
takes = ["clicks"]
criteria = ["rows", "step"]
hints = ["a", "b", "c"]

[inputs.clicks]
schema = "page STRING, n INT"
"""
HIDDEN = """from grader.scenario import Event, Scenario


def hidden(random):
    pages = [random.choice(["home", "shoes", "hats"]) for _ in range(5)]
    clicks = [{"page": page, "n": random.randrange(10, 99)} for page in pages]
    return Scenario([Event(1 + i // 3, "clicks", click) for i, click in enumerate(clicks)])
"""


@dataclass
class Class:
    """A class that was graded: by student, what became of it; `numbers` are the attacks' exercises."""

    root: Path
    numbers: dict[str, int]
    students: dict[str, str]
    before: str = ""
    grades: ClassGrades | None = None
    scores: dict[tuple[str, str], float | None] = field(default_factory=dict)
    told: list[str] = field(default_factory=list)  # to the teacher, in a terminal

    def graded(self, student: str) -> SubmissionResult:
        assert self.grades is not None
        return next(one for one in self.grades.submissions if one.student == student)

    def how(self, student: str) -> str:
        assert self.grades is not None
        return self.grades.how[LESSON, student]

    def page(self, student: str) -> Path:
        return self.root / "autograded" / student / LESSON / f"{LESSON}.ipynb"

    def exercises(self) -> int:
        return max(self.numbers.values(), default=0) + HONEST


def make_class(
    root: Path,
    attacks: Mapping[str, Notebook | HandedIn | Page],
    *,
    spark: bool,
) -> Class:
    """The course of an attacked class and what it handed in. Attacks of Spark have an exercise each."""
    numbers = {name: 1 for name, attack in attacks.items() if isinstance(attack, Notebook)}
    if spark:
        numbers = {name: number for number, name in enumerate(numbers, start=1)}
    made = Class(root, numbers, {})
    timeouts = {
        numbers[name]: attack.seconds if spark else 2
        for name, attack in attacks.items()
        if isinstance(attack, Notebook)
    }
    folder = root / "course" / LESSON
    folder.mkdir(parents=True)
    numbers_of_all = range(1, made.exercises() + 1)
    packed = {f"92.{n}": _packed(n, timeouts.get(n, 60)) for n in numbers_of_all}
    write_pack(Pack("92", "attacked", "Attacked", packed), folder / FILE_NAME)
    right = RIGHT_OF_SPARK if spark else RIGHT
    nbformat.write(_notebook(made.exercises()), folder / f"{LESSON}.ipynb")
    config = (PROJECT / "nbgrader_config.py").read_text()
    if not spark:
        config += f"\nc.Record.cell_seconds = {CELL_SECONDS}\n"
    (root / "nbgrader_config.py").write_text(config)
    (root / "grading").mkdir()
    (root / "grading" / "secret").write_text(f"{CANARY}: the secret of the attacked class\n")
    drawn = [
        numbers[name]
        for name, attack in attacks.items()
        if isinstance(attack, Notebook) and attack.hidden
    ]
    if drawn:
        _solutions(root, drawn)
    _hand_in(made, "ada", dict.fromkeys(numbers_of_all[-HONEST:], right), essay=CANARY)
    together: dict[int, str] = {}
    page = _filled(made, {}, right)
    for name, attack in attacks.items():
        student = name.replace("/", "-")
        if isinstance(attack, Page):
            made.students[name] = "pages"
            add_page(page, name, attack)
        elif isinstance(attack, HandedIn):
            made.students[name] = attack.student or student
            attack.spoil(_hand_in(made, made.students[name], {}, right))
        elif spark and not attack.alone:
            made.students[name] = "together"
            together[numbers[name]] = attack.cell or right
        else:
            made.students[name] = student
            cells = {numbers[name]: attack.cell or right}
            _hand_in(made, student, cells, right, attack=attack)
    if together:
        _hand_in(made, "together", together, right)
    if "pages" in made.students.values():
        _write(page, made, "pages")
    made.before = folder_digest(root / "submitted") + folder_digest(root / "course")
    return made


def grade(made: Class, *, jobs: int | None = None, sandbox: str = "bwrap") -> Class:
    """Grade it with `grader grade`'s own function."""
    spark = any(number > 1 for number in made.numbers.values())
    with contextlib.nullcontext() if spark else _without_spark():
        made.grades = grade_class(
            made.root, made.root / "submitted", sandbox=sandbox, jobs=jobs, notify=made.told.append
        )
    with Gradebook(f"sqlite:///{made.root}/gradebook.db") as book:
        for found in book.assignment_submissions(LESSON):
            for notebook in found.notebooks:
                for grade in notebook.grades:
                    made.scores[found.student_id, grade.name] = grade.auto_score
    return made


@contextlib.contextmanager
def _without_spark() -> Iterator[None]:
    """Cells and plays as in a class, but a runner that starts at once, and short limits."""
    before = runner_process.RUNNER, supervisor.CELL_GRACE, supervisor.PLAY_GRACE
    source = (HERE / "without_spark.py").read_text()
    runner_process.RUNNER = [sys.executable, "-c", source]
    supervisor.CELL_GRACE = supervisor.PLAY_GRACE = 1.0
    try:
        yield
    finally:
        runner_process.RUNNER, supervisor.CELL_GRACE, supervisor.PLAY_GRACE = before


def _packed(number: int, timeout: float) -> PackedExercise:
    task = Exercise(
        id=f"92.{number}",
        title="Twice",
        answer=f"answer_{number}",
        takes=["clicks"],
        inputs={"clicks": Input("page STRING, n INT")},
        points=2,
        criteria=["rows", "step"],
        timeout=timeout,
    )
    clicks = [{"page": "home", "n": 1}, {"page": "shoes", "n": 2}]
    rows = [{**click, "n": 2 * int(str(click["n"]))} for click in clicks]
    expected = Recording(task.id, steps=1, schema=SCHEMA, batches=[Batch(0, 1, rows=rows)])
    events = Scenario([Event(1, "clicks", click) for click in clicks], 1)
    return PackedExercise(task, events, {"as_is": expected})


def _solutions(root: Path, drawn: list[int]) -> None:
    """What the teacher has beside the course: with it hidden events decide on these exercises."""
    folder = root / "solutions" / LESSON
    for n in drawn:
        place = folder / f"92.{n}_twice"
        place.mkdir(parents=True)
        (place / "exercise.toml").write_text(EXERCISE.format(n=n))
        (place / "public.jsonl").write_text(
            '{"step": 1, "input": "clicks", "value": {"page": "home", "n": 1}}\n'
            '{"step": 1, "input": "clicks", "value": {"page": "shoes", "n": 2}}\n'
        )
        (place / "hidden.py").write_text(HIDDEN)
    (folder / "lesson.py").write_text(SOLUTION + "".join(ANSWER.format(n=n) for n in drawn))
    (folder / "lesson.toml").write_text(
        'title = "Attacked"\nsummary = "A lesson of the attacks."\n'
    )


def _notebook(count: int) -> NotebookNode:
    notebook = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_markdown_cell("# Attacked")],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    )
    for n in range(1, count + 1):
        notebook.cells += [
            _cell("code", f"answer_{n}", "# your answer", solution=True),
            _cell("code", f"check-answer_{n}", f"grader.check('92.{n}', answer_{n})", points=2),
        ]
    notebook.cells.append(_cell("markdown", "essay", "What did you see?", points=4, solution=True))
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
    return notebook


def _cell(
    kind: str, grade_id: str, source: str, *, points: float | None = None, solution: bool = False
) -> NotebookNode:
    make = nbformat.v4.new_code_cell if kind == "code" else nbformat.v4.new_markdown_cell
    marked = {"grade_id": grade_id, "solution": solution, "grade": points is not None}
    marked |= {"locked": not solution, "schema_version": 3, "task": False, "cell_type": kind}
    if points is not None:
        marked["points"] = points
    cell = make(source, metadata={"nbgrader": marked})
    cell.metadata.nbgrader["checksum"] = compute_checksum(cell)
    return cell


def _filled(made: Class, answers: Mapping[int, str], right: str, essay: str = "") -> NotebookNode:
    """The released notebook with these answers, and honest ones to the last exercises."""
    notebook = nbformat.read(made.root / "course" / LESSON / f"{LESSON}.ipynb", 4)
    cells = {cell.metadata.get("nbgrader", {}).get("grade_id"): cell for cell in notebook.cells}
    count = made.exercises()
    honest = dict.fromkeys(range(count - HONEST + 1, count + 1), right)
    for n, source in {**honest, **answers}.items():
        own = source.replace("92.N", f"92.{n}")
        cells[f"answer_{n}"].source = f"{own}\nanswer_{n} = answer"
    if essay:
        cells["essay"].source = essay
    return notebook


def _hand_in(
    made: Class,
    student: str,
    answers: Mapping[int, str],
    right: str = "",
    *,
    essay: str = "",
    attack: Notebook | None = None,
) -> Path:
    notebook = _filled(made, answers, right or next(iter(answers.values())), essay)
    folder = made.root / "submitted" / student / LESSON
    folder.mkdir(parents=True, exist_ok=True)
    if attack is not None and attack.spoil is not None:
        attack.spoil(notebook, folder)
    return _write(notebook, made, student)


def _write(notebook: NotebookNode, made: Class, student: str) -> Path:
    folder = made.root / "submitted" / student / LESSON
    folder.mkdir(parents=True, exist_ok=True)
    # as it is: some attacks are no valid notebooks
    (folder / f"{LESSON}.ipynb").write_text(nbformat.v4.writes_json(notebook))
    shutil.copy(made.root / "course" / LESSON / FILE_NAME, folder)
    return folder
