"""A class graded: seconds a submission, against `nbgrader autograde` with a session in every notebook.

3600 divided by them are the submissions of an hour.
Lesson 03, the same right answers for both. The baseline (baselines/stock_class.py) grades --stock of
them with Spark's 200 shuffle partitions, and as many with as many partitions as there are cores, on a
Java 17 and a Kafka that runs already. `grader grade` takes on --few, then --many of them, and --few with
one job at a time. Hidden events are worked out before, as they are once a class.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "baselines"))
sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))

from cold import find_jdk
from stock import start_kafka, wait_for
from stock_class import StockCourse
from table import Row, parser, progress, show
from testkit.made_class import answers_for, hand_in, make_class

from grader.authoring.lesson_source import LessonSource, read_lessons
from grader.classroom.class_grading import grade_class, jobs_here

ROOT = Path(__file__).resolve().parents[1]
LESSON = "03"
WHAT = "a submission of lesson 03 in a class"


def main() -> None:
    arguments = parser(stock=2, few=10, many=40).parse_args()
    jdk = find_jdk()
    if jdk is None:
        raise SystemExit("The baseline needs a JDK 17 under /usr/lib/jvm or in JAVA_HOME.")
    os.environ["JAVA_HOME"] = str(jdk.home)  # the grader has its own
    lesson = next(x for x in read_lessons(ROOT / "solutions") if x.id == LESSON)
    cores, most = os.cpu_count() or 1, jobs_here()
    stock = stock_seconds(lesson, arguments.stock, list(dict.fromkeys((cores, 200))))
    few = our_seconds(lesson, arguments.few, most)
    alone = our_seconds(lesson, arguments.few, 1)
    many = our_seconds(lesson, arguments.many, most)
    rows = [
        Row(f"{WHAT}; stock, 200 partitions", "s", many, stock[200], goal_ratio=8),
        Row(f"{WHAT}; stock, partitions = cores", "s", many, stock[cores]),
        Row(f"{WHAT}, one at a time as stock does; stock, 200", "s", alone, stock[200]),
        Row(f"{WHAT}, {arguments.many} of them; {arguments.few}", "s", many, few),
        Row(f"{WHAT}, {most} at a time; one", "s", few, alone),
    ]
    show(rows, arguments)


def stock_seconds(lesson: LessonSource, count: int, all_partitions: list[int]) -> dict[int, float]:
    """Shuffle partitions → seconds of a submission by the baseline; all of them must get all points."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "kafka").mkdir()
        (Path(folder) / "course").mkdir()
        kafka, servers = start_kafka(Path(folder) / "kafka")
        try:
            wait_for(servers)
            course = StockCourse(Path(folder) / "course", lesson, servers)
            for number in range(count):
                course.hand_in(f"s{number}", right_answers(lesson, number))
            best = {s.exercise.answer: s.exercise.points for s in course.exercises}
            for partitions in all_partitions:
                began = time.monotonic()
                course.autograde(partitions)
                found[partitions] = (time.monotonic() - began) / count
                assert list(course.points().values()) == [best] * count, course.points()
                progress(f"stock, {partitions} partitions: {found[partitions]:.1f} s a submission")
        finally:
            kafka.kill()
            kafka.wait()
    return found


def our_seconds(lesson: LessonSource, count: int, jobs: int) -> float:
    """Seconds of a submission by `grader grade`; all of them must pass."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_class(root, lesson, 0, 0)
        for number in range(count):
            own = right_answers(lesson, number)
            hand_in(
                root, lesson, f"s{number}", [own.get(s.exercise.answer) for s in lesson.exercises]
            )
        (root / "grading").mkdir()
        (root / "grading" / "secret").write_text("the same for all runs of this benchmark\n")
        hidden_events(root, lesson)
        began = time.monotonic()
        grades = grade_class(root, root / "submitted", jobs=jobs)
        took = time.monotonic() - began
        assert all(v.passed for one in grades.submissions for v in one.verdicts), grades.to_dict()
    progress(f"grader grade, {count} submissions, {jobs} at a time: {took / count:.1f} s each")
    return took / count


def right_answers(lesson: LessonSource, number: int) -> dict[str, str]:
    """Right answers by function, the solution's and others in turn."""
    found = {}
    for source in lesson.exercises:
        right = answers_for(source)["right"]
        text = right[number % len(right)].source
        assert text is not None
        found[source.exercise.answer] = text
    return found


def hidden_events(root: Path, lesson: LessonSource) -> None:
    """Let what the solutions do on hidden events be worked out."""
    from grader.classroom.course import Course
    from grader.classroom.hidden_scenarios import work_out

    course = Course.read(root, root / "submitted")
    work_out(root / "solutions" / lesson.name, [course.hidden_seed(lesson.name)])


if __name__ == "__main__":
    main()
