"""The same checks on a Dockerized Kafka and a Spark cluster, and what happens when parts of it die."""

import json
import os
from pathlib import Path
from typing import Any

import pytest
from docker_lab import ROOT, DockerLab, docker, wait_until
from testkit.capstone_program import figures, lesson_program

from grader.authoring.lesson_source import read_lessons
from grader.authoring.proof_store import read_proof
from grader.authoring.verification import is_chosen

pytestmark = [pytest.mark.docker, pytest.mark.timeout(5400)]

HERE = Path(__file__).parent
# A few exercises while one works on the containers: DOCKER_TEST_EXERCISES="00 03.2"
CHOSEN = os.environ.get("DOCKER_TEST_EXERCISES", "").split()


def test_every_exercise_has_the_statuses_of_the_embedded_lab(
    docker_lab: DockerLab, solutions: Path
) -> None:
    """Those of the embedded lab stand in the proofs, which other tests hold to the exercises."""
    on_cluster = json.loads(docker_lab.run("grader", "verify", "--json", *CHOSEN, seconds=4800))
    proved = {
        source.exercise.id: read_proof(source)
        for lesson in read_lessons(ROOT / "solutions")
        for source in lesson.exercises
        if is_chosen(source, CHOSEN)
    }
    assert {exercise["id"]: told(exercise) for exercise in on_cluster["exercises"]} == {
        id: stated(proof) for id, proof in proved.items()
    }
    assert on_cluster["ok"]
    assert docker_lab.tasks_run(1) > 0 and docker_lab.tasks_run(2) > 0


@pytest.mark.nightly
def test_a_check_survives_the_loss_of_a_worker(docker_lab: DockerLab) -> None:
    docker_lab.copy_in(HERE / "play_slowly.py", "/tmp/play_slowly.py")
    check = docker_lab.start("python", "/tmp/play_slowly.py")
    assert check.stdout is not None
    lines = iter(check.stdout.readline, "")
    try:
        assert "step 3\n" in lines
        docker("kill", docker_lab.container("spark-worker", 2))
        wait_until(lambda: len(docker_lab.workers()) == 1, "the master notices the loss")
        *_, status = lines
        assert status.strip() == "passed"
    finally:
        check.kill()
        docker_lab.up()


@pytest.mark.nightly
def test_the_capstone_loses_nothing_when_a_worker_is_killed(
    docker_lab: DockerLab, tmp_path: Path
) -> None:
    (tmp_path / "pipeline.py").write_text(lesson_program(), encoding="utf-8")
    (tmp_path / "figures.json").write_text(json.dumps(figures(cores=2)))
    for file in (HERE / "run_capstone.py", tmp_path / "pipeline.py", tmp_path / "figures.json"):
        docker_lab.copy_in(file, f"/tmp/{file.name}")
    run = docker_lab.start(
        "python", "/tmp/run_capstone.py", "/tmp/pipeline.py", "/tmp/figures.json"
    )
    assert run.stdout is not None
    lines = iter(run.stdout.readline, "")
    try:
        assert any(line.startswith("5,000 clicks a second") for line in lines)
        docker("kill", docker_lab.container("spark-worker", 2))
        wait_until(lambda: len(docker_lab.workers()) == 1, "the master notices the loss")
        *_, last = lines
        assert last.startswith("differences 0 of ") and last.strip() != "differences 0 of 0"
    finally:
        run.kill()
        docker_lab.up()


@pytest.mark.nightly
def test_a_check_passes_after_kafka_was_killed_and_started_again(docker_lab: DockerLab) -> None:
    mine = "/work/course/mine.ipynb"
    docker_lab.run("sh", "-c", f"echo '{{\"mine\": 1}}' > {mine}")
    docker_lab.copy_in(HERE / "check_twice.py", "/tmp/check_twice.py")
    checks = docker_lab.start("python", "/tmp/check_twice.py")
    assert checks.stdin is not None and checks.stdout is not None
    try:
        assert "passed" in checks.stdout.readline()
        kafka = docker_lab.container("kafka")
        docker("kill", kafka)
        docker("start", kafka)
        docker_lab.compose.wait_until_healthy()
        checks.stdin.write("\n")
        checks.stdin.flush()
        assert "passed" in checks.stdout.readline()
    finally:
        checks.kill()
    assert json.loads(docker_lab.run("cat", mine)) == {"mine": 1}


@pytest.mark.nightly
def test_a_session_without_an_executor_says_who_holds_them(docker_lab: DockerLab) -> None:
    start = "import grader; grader.start(); print('up', flush=True); input()"
    holders = [docker_lab.start("python", "-c", start) for _ in range(2)]
    try:
        for holder in holders:
            assert holder.stdout is not None and holder.stdout.readline() == "up\n"
        hurry = "from grader.runtime import cluster; cluster.EXECUTOR_SECONDS = 5; "
        with pytest.raises(AssertionError, match=r"no executor in 5 s.*Shut down a notebook"):
            docker_lab.run("python", "-c", hurry + start)
    finally:
        for holder in holders:
            holder.communicate("\n")  # its input, or the process in the container lives on
    assert "up" in docker_lab.run("sh", "-c", f'echo | python -c "{start}"')


def test_topics_survive_the_kafka_container(docker_lab: DockerLab) -> None:
    script = (
        "import os; from grader.replay.kafka import Kafka; k = Kafka(os.environ['GRADER_KAFKA']); "
    )
    docker_lab.run("python", "-c", script + "k.send(k.create_topic('kept'), ['a', 'b'])")
    docker_lab.compose("rm", "--stop", "--force", "kafka")
    docker_lab.up()
    assert "['a', 'b']" in docker_lab.run("python", "-c", script + "print(k.read('kept'))")


def test_the_learners_files_are_there_after_down_and_up(docker_lab: DockerLab) -> None:
    token = docker_lab.environment["JUPYTER_TOKEN"]
    api = f"http://127.0.0.1:{docker_lab.port('LAB_PORT')}/api/contents"
    docker_lab.run("sh", "-c", "echo '{\"cells\": []}' > /work/course/kept.ipynb")
    progress = '{"version": 1, "exercises": {"00.1": {"status": "passed", "score": 2}}}'
    docker_lab.run("sh", "-c", f"echo '{progress}' > /work/.state/progress.json")
    docker_lab.compose("down", "--timeout", "10")
    assert docker_lab.compose.containers() == {}
    docker_lab.up()
    names = [
        entry["name"] for entry in json.loads(docker_lab.get(f"{api}?token={token}"))["content"]
    ]
    assert "kept.ipynb" in names
    assert json.loads(docker_lab.run("cat", "/work/.state/progress.json"))["exercises"]["00.1"]


Statuses = dict[str, Any]


def told(exercise: dict[str, Any]) -> Statuses:
    """Every status of an exercise as `grader verify --json` tells it, and whether a mistake was named."""
    return {
        "solution": exercise["solution"],
        "stub": exercise["stub"],
        "misconceptions": {
            one["id"]: (one["status"], one["diagnosed"]) for one in exercise["misconceptions"]
        },
        "equivalents": {one["id"]: one["status"] for one in exercise["equivalents"]},
    }


def stated(proof: dict[str, Any]) -> Statuses:
    """The same as a proof beside the exercise has it."""
    return {
        "solution": proof["solution"],
        "stub": proof["stub"],
        "misconceptions": {
            id: (one["status"], one["diagnosed"]) for id, one in proof["misconceptions"].items()
        },
        "equivalents": {id: one["status"] for id, one in proof["equivalents"].items()},
    }
