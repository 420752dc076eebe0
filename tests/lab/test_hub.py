"""Two students on one hub at the same time: own Kafka, own Spark, own progress, a verdict each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from testkit.lab_processes import ROOT
from testkit.system_accounts import accounts, needs_accounts

from grader.authoring.lesson_source import LessonSource

pytest.importorskip("jupyterhub")
from testkit.hub import Student, running_hub

pytestmark = [pytest.mark.slow, needs_accounts]

NAMES = ("hubtest-ada", "hubtest-ben", "hubtest-cem")
LESSON = "00_orientation"
NOTEBOOK = f"{LESSON}/{LESSON}.ipynb"
WRONG = "def checkout_clicks(clicks):\n    return clicks.select('event_id', 'page', 'ms_on_page')"
IMPORTS = "from pyspark.sql import DataFrame, functions as F"
CHECK = """
import getpass, json, os
import grader
from grader.learner import progress
from grader.runtime.paths import state_dir
from ipykernel import get_connection_info
spark, kafka = grader.start()
try:
    verdict = grader.check("00.1", checkout_clicks)
except AssertionError as failed:
    verdict = failed.verdict
print("FOUND" + json.dumps({
    "user": getpass.getuser(), "folder": os.getcwd(), "memory": os.environ["MEM_LIMIT"],
    "encrypted": "curve_publickey" in json.loads(get_connection_info()),
    "status": verdict.status, "broker": kafka.bootstrap_servers,
    "spark": spark.sparkContext.applicationId,
    "state": str(state_dir()), "progress": progress.read()["exercises"],
}))
"""
OTHERS_FILE = """
try:
    print(open({path!r}).read())
except OSError as error:
    print(type(error).__name__)
"""


@pytest.fixture(scope="module")
def students(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Student]]:
    folder = tmp_path_factory.mktemp("hub")
    with (
        accounts(*NAMES) as passwords,
        running_hub(folder, ROOT / "docker/jupyterhub_config.py") as address,
    ):
        assert not Student(address, NAMES[0], "a wrong password").logged_in
        yield [Student(address, name, word) for name, word in passwords.items()]


def checked(student: Student, answer: str) -> dict[str, Any]:
    """Start the student's server and notebook, run an answer and its check; what the notebook found."""
    assert student.start_server() in (201, 202)
    kernel = student.start_notebook(NOTEBOOK)
    said = student.run(kernel, f"{IMPORTS}\n{answer}\n{CHECK}")
    return {"kernel": kernel, **json.loads(said.split("FOUND", 1)[1])}


def test_two_students_at_the_same_time_have_a_verdict_each_and_share_nothing(
    students: list[Student],
) -> None:
    right = LessonSource(ROOT / "solutions" / LESSON, title="Orientation").cell("checkout_clicks")
    with ThreadPoolExecutor(2) as pool:
        ada, ben = pool.map(checked, students[:2], (right, WRONG))
    assert (ada["status"], ben["status"]) == ("passed", "failed")
    for found, name in zip((ada, ben), NAMES, strict=False):
        home = Path("/home", name)
        assert found["user"] == name and found["memory"] == str(4 * 2**30)
        assert found["encrypted"], "what the notebook sends over the machine's loopback"
        assert found["folder"] == str(home / "stateful-streams/course" / LESSON)
        assert Path(found["state"]).is_relative_to(home)
        assert {id: (one["status"], one["attempts"]) for id, one in found["progress"].items()} == {
            "00.1": (found["status"], 1)
        }
    for own in ("broker", "spark", "state"):
        assert ada[own] != ben[own], own

    file = f"{ada['state']}/progress.json"
    assert students[0].run(ada["kernel"], OTHERS_FILE.format(path=file)).startswith("{")
    assert students[1].run(ben["kernel"], OTHERS_FILE.format(path=file)) == "PermissionError\n"
    assert students[1].status_of("api/sessions", of=NAMES[0]) in (403, 404)
    assert students[0].status_of("lab/tree/welcome.md") == 200
    assert students[2].start_server() == 429, "the hub has no memory for a third server"
