"""The baseline of class.py: a lesson as one would grade it with nbgrader alone.

Every notebook starts a Spark session of its own on a Kafka that runs already. A check sends the public
events step by step, waits for the query each time and asserts that its rows are the solution's. That is
less than `grader grade` looks at: one play an exercise, no hidden events, no sandbox. Exercises that
return no stream are left out, and with them their time.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat

from grader.authoring.lesson_source import ExerciseSource, LessonSource
from grader.runtime.jars import jar_paths

SESSION = """
import json, os, uuid
from kafka import KafkaProducer
from pyspark.sql import SparkSession, functions as F

servers = os.environ["STOCK_KAFKA"]
spark = (
    SparkSession.builder.master("local[*]")
    .config("spark.jars", os.environ["STOCK_JARS"])
    .config("spark.sql.shuffle.partitions", os.environ["STOCK_PARTITIONS"])
    .config("spark.ui.showConsoleProgress", "false")
    .getOrCreate()
)
spark.sparkContext.setLogLevel("OFF")  # nbgrader takes a warning on stderr for a failure
producer = KafkaProducer(bootstrap_servers=servers)


def check(id, answer):
    told = json.load(open(os.environ["STOCK_CHECKS"]))[id]
    streams, topics = {"spark": spark}, {}
    for name, schema in told["schemas"].items():
        topics[name] = topic = name + "-" + uuid.uuid4().hex
        producer.send(topic, b"{}").get()  # the topic is there
        source = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers)
        records = source.option("subscribe", topic).option("startingOffsets", "latest").load()
        value = F.from_json(F.col("value").cast("string"), schema)
        streams[name] = records.select(value.alias("v")).select("v.*")
    table = "t" + uuid.uuid4().hex
    sink = answer(*[streams[name] for name in told["takes"]]).writeStream.format("memory")
    query = sink.queryName(table).outputMode(told["mode"]).start()
    query.processAllAvailable()
    for step in told["steps"]:
        for name, value in step:
            producer.send(topics[name], value.encode())
        producer.flush()
        query.processAllAvailable()
    query.stop()
    rows = sorted(str(row) for row in spark.table(table).collect())
    learned = os.environ.get("STOCK_LEARN")
    if learned:
        known = json.load(open(learned)) if os.path.exists(learned) else {}
        json.dump({**known, id: rows}, open(learned, "w"))
    else:
        assert rows == told["rows"], rows
"""


class StockCourse:
    """A course of one lesson in a folder, for nbgrader as it comes."""

    def __init__(self, root: Path, lesson: LessonSource, kafka: str):
        self.root, self.lesson, self.kafka = root, lesson, kafka
        self.exercises = [s for s in lesson.exercises if s.exercise.returns == "stream"]
        self.checks = root / "checks.json"
        (root / "nbgrader_config.py").write_text(
            "c = get_config()\nc.CourseDirectory.root = '.'\nc.ExecutePreprocessor.timeout = 1800\n"
        )
        source = root / "source" / lesson.name
        source.mkdir(parents=True)
        nbformat.write(self._notebook({}), source / f"{lesson.name}.ipynb")
        self._learn()
        self._run("generate_assignment", lesson.name)

    def hand_in(self, student: str, sources: dict[str, str]) -> None:
        """A submission with these answers by exercise; those that are left out stay the solution's."""
        folder = self.root / "submitted" / student / self.lesson.name
        folder.mkdir(parents=True)
        released = self.root / "release" / self.lesson.name / f"{self.lesson.name}.ipynb"
        notebook = nbformat.read(released, 4)
        for cell in notebook.cells:
            name = cell.metadata.get("nbgrader", {}).get("grade_id")
            if name in sources:
                cell.source = sources[name]
        nbformat.write(notebook, folder / f"{self.lesson.name}.ipynb")

    def autograde(self, partitions: int) -> None:
        """Grade all submissions with nbgrader's own command."""
        shutil.rmtree(self.root / "autograded", ignore_errors=True)
        self._run("autograde", self.lesson.name, STOCK_PARTITIONS=str(partitions))

    def points(self) -> dict[str, dict[str, float]]:
        """Student → answer → points."""
        from nbgrader.api import Gradebook

        with Gradebook(f"sqlite:///{self.root}/gradebook.db") as book:
            return {
                found.student_id: {
                    grade.name.removeprefix("check-"): grade.auto_score
                    for notebook in found.notebooks
                    for grade in notebook.grades
                }
                for found in book.assignment_submissions(self.lesson.name)
            }

    def _learn(self) -> None:
        """What the solution's rows are: its notebook is run once and says so."""
        told = {s.exercise.id: _check(s) for s in self.exercises}
        self.checks.write_text(json.dumps(told))
        learned = self.root / "rows.json"
        words = ["-m", "jupyter", "nbconvert", "--to", "notebook", "--execute", "--stdout"]
        source = self.root / "source" / self.lesson.name / f"{self.lesson.name}.ipynb"
        self._python([*words, str(source)], STOCK_LEARN=str(learned), STOCK_PARTITIONS="2")
        rows = json.loads(learned.read_text())
        self.checks.write_text(
            json.dumps({id: {**check, "rows": rows[id]} for id, check in told.items()})
        )

    def _notebook(self, sources: dict[str, str]) -> nbformat.NotebookNode:
        notebook = nbformat.v4.new_notebook()
        notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3"}
        given = [*self.lesson.tagged("given"), SESSION]
        notebook.cells = [nbformat.v4.new_code_cell(text) for text in given]
        for source in self.exercises:
            name = source.exercise.answer
            notebook.cells += [
                _cell(name, self.lesson.cell(name), None),
                _cell(f"check-{name}", f"check('{source.exercise.id}', {name})", source),
            ]
        return notebook

    def _run(self, command: str, *words: str, **variables: str) -> None:
        self._python(["-m", "nbgrader", command, *words], **variables)

    def _python(self, words: list[str], **variables: str) -> None:
        stock = {
            "STOCK_KAFKA": self.kafka,
            "STOCK_JARS": ",".join(map(str, jar_paths("connector"))),
            "STOCK_CHECKS": str(self.checks),
            "SPARK_LOCAL_IP": "127.0.0.1",
        }
        done = subprocess.run(
            [sys.executable, *words],
            cwd=self.root,
            env={**os.environ, **stock, **variables},
            capture_output=True,
            text=True,
        )
        if done.returncode:
            raise SystemExit(done.stdout[-3000:] + done.stderr[-3000:])


def _check(source: ExerciseSource) -> dict[str, object]:
    events = source.public
    return {
        "takes": source.exercise.takes,
        "schemas": {name: given.schema for name, given in source.exercise.inputs.items()},
        "mode": source.exercise.output_mode,
        "steps": [
            [[event.input, event.payload().decode()] for event in events.of_step(step)]
            for step in range(1, events.steps + 1)
        ],
    }


def _cell(name: str, text: str, graded: ExerciseSource | None) -> nbformat.NotebookNode:
    marks = {"grade_id": name, "schema_version": 3, "task": False, "locked": graded is not None}
    marks |= {"grade": graded is not None, "solution": graded is None}
    if graded is not None:
        marks["points"] = graded.exercise.points
    return nbformat.v4.new_code_cell(text, metadata={"nbgrader": marks})
