"""A class graded past one machine, and in containers: the same grades as on this one."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from docker_lab import GRADER, IMAGE, ROOT, DockerLab, docker, wait_until
from testkit.made_class import Deserved, make_class

from grader.authoring.lesson_source import read_lessons
from grader.lab.docker_lab import Compose
from grader.sandbox import container_sandbox
from grader.sandbox.resource_limits import Limits

pytestmark = [pytest.mark.docker, pytest.mark.timeout(6 * 3600)]

COUNT = int(os.environ.get("CLUSTER_CLASS", "2"))  # 200 takes two hours on two cores
SEED = 4
LESSON = "00"

Verdicts = dict[tuple[str, str], Any]  # student and exercise → the verdict, as JSON


@dataclass(frozen=True)
class MadeClass:
    """A class of right, wrong and hostile answers, with the secret that its hidden events come from."""

    root: Path
    deserved: Deserved

    @staticmethod
    def make(root: Path, count: int) -> MadeClass:
        lesson = next(x for x in read_lessons(ROOT / "solutions") if x.id == LESSON)
        made = MadeClass(root, make_class(root, lesson, count, SEED, loops=0))
        (root / "grading").mkdir()
        (root / "grading" / "secret").write_text("the same on every machine\n")
        return made

    def places(self) -> set[tuple[str, str]]:
        """Each student and exercise: what has to have a verdict."""
        return {(s, exercise) for s, answers in self.deserved.items() for exercise in answers}

    def answers(self, student: str) -> set[tuple[str, str]]:
        """Exercise and name of each answer of a student."""
        return {(exercise, answer.name) for exercise, answer in self.deserved[student].items()}

    def few(self) -> list[str]:
        """Students who gave every answer of the class between them."""
        chosen, seen = [], set[tuple[str, str]]()
        for student in self.deserved:
            if not self.answers(student) <= seen:
                chosen.append(student)
                seen |= self.answers(student)
        return chosen

    def by_answer(self, verdicts: Verdicts) -> dict[tuple[str, str], Any]:
        """Exercise and name of the answer → its verdict, which is the same for all who gave it."""
        found: dict[tuple[str, str], Any] = {}
        for (student, exercise), verdict in verdicts.items():
            name = self.deserved[student][exercise].name
            assert found.setdefault((exercise, name), verdict) == verdict
        return found

    def grades(self, root: Path, *words: str) -> Verdicts:
        """Grade a copy of the few with the command."""
        for folder in (".", *(f"submitted/{student}" for student in self.few())):
            (root / folder).mkdir(parents=True, exist_ok=True)
            names = [x for x in (self.root / folder).iterdir() if x.name != "submitted"]
            subprocess.run(["cp", "-a", *names, root / folder], check=True)
        command = [str(GRADER), "grade", str(root / "submitted"), "--json", *words]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return told(json.loads(done.stdout))


def told(result: dict[str, Any]) -> Verdicts:
    assert {one["how"] for one in result["submissions"]} == {"run"}
    return {
        (one["student"], verdict["exercise"]): {**verdict, "seconds": 0}
        for one in result["submissions"]
        for verdict in one["verdicts"]
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> MadeClass:
    return MadeClass.make(tmp_path_factory.mktemp("class"), COUNT)


@pytest.fixture(scope="module")
def here(made: MadeClass, tmp_path_factory: pytest.TempPathFactory) -> Verdicts:
    """What it comes to on this machine, in bubblewrap's sandboxes."""
    return made.grades(tmp_path_factory.mktemp("here"))


def test_in_a_container_a_submission_gets_the_same_verdicts(
    docker_lab: DockerLab, made: MadeClass, here: Verdicts, tmp_path: Path
) -> None:
    assert made.grades(tmp_path, "--sandbox", "docker") == here
    left = docker("ps", "--all", "--quiet", "--filter", f"label={container_sandbox.LABEL}")
    assert left == "", "each is thrown away"


@pytest.fixture
def workers(docker_lab: DockerLab) -> Iterator[None]:
    """The two workers as those that grade: they may make sandboxes, one submission each at a time."""
    environment = {**docker_lab.environment, "WORKER_CORES": "1"}
    Compose(ROOT, environment, ["docker/compose.grading.yaml"]).up()
    wait_until(lambda: len(docker_lab.workers()) == 2, "both workers are there")
    try:
        yield
    finally:
        docker_lab.up()


@pytest.mark.nightly
def test_on_a_cluster_that_loses_a_worker_half_way_the_grades_are_the_same(
    docker_lab: DockerLab,
    workers: None,
    made: MadeClass,
    here: Verdicts,
    capsys: pytest.CaptureFixture[str],
) -> None:
    docker_lab.copy_in(made.root, "/tmp/class")
    docker(
        "exec", "-u", "root", docker_lab.container("lab"), "chown", "-R", "learner", "/tmp/class"
    )
    master = "spark://spark-master:7077"
    words = ["grader", "grade", "/tmp/class/submitted", "--master", master, "--json"]
    began, half = time.monotonic(), COUNT // 2
    run = docker_lab.start("sh", "-c", f"{' '.join(words)} 2>&1 >/tmp/grades.json")
    assert run.stdout is not None
    lines: list[str] = []
    times: list[float] = []  # when a submission had its points
    try:
        for line in run.stdout:
            lines.append(line)
            if " points" in line:
                times.append(time.monotonic())
                if len(times) == half:
                    docker("kill", docker_lab.container("spark-worker", 2))
    finally:
        run.kill()
    graded = docker_lab.run("cat", "/tmp/grades.json")
    assert graded, "".join(lines)
    found = told(json.loads(graded))
    assert set(found) == made.places()
    assert made.by_answer(found) == made.by_answer(here)
    assert len(times) == COUNT, "none was graded twice"
    two, one = (times[half - 1] - began) / half, (times[-1] - times[half - 1]) / (COUNT - half)
    with capsys.disabled():
        print(f"\n{COUNT} submissions: {two:.1f} s each on two workers, {one:.1f} s each on one")


# what a container withstands


def ended(
    code: str, tmp_path: Path, *, grace_seconds: float = 30, **limits: Any
) -> tuple[str, str | None]:
    """What a program said in a container, and which limit ended it."""
    job = tmp_path / "job"
    job.mkdir()
    (job / "answer").touch()
    (job / "JOB.json").write_text("{}")
    with open(job / "log", "wb") as log:
        running = container_sandbox.start(
            [sys.executable, "-I", "-S", "-c", code],
            job=job,
            writable=["answer"],
            log=log,
            limits=Limits(**limits),
        )
    with contextlib.suppress(subprocess.TimeoutExpired):
        running.process.wait(grace_seconds)
    why = running.why
    running.end()
    return (job / "log").read_text(errors="replace"), why


REFUSED = {
    "the network": "import socket; socket.create_connection(('1.1.1.1', 53), 3)",
    "the job": "open('/run/check/JOB.json', 'w')",
    "another file beside it": "open('/run/check/new', 'w')",
    "the image": "open('/opt/stateful-streams/grader/__init__.py', 'a')",
    "its packages": "open('/opt/venv/attack', 'w')",
    "its jars": "open('/opt/cache/jars/attack', 'w')",
    "another user": "import os; os.setuid(0)",
    "a mount": "import ctypes, os\n"
    "if ctypes.CDLL(None).mount(b'none', b'/mnt', b'tmpfs', 0, None): raise OSError('no')",
    "its limits": "import resource as r\n"
    "r.setrlimit(r.RLIMIT_FSIZE, (r.RLIM_INFINITY, r.RLIM_INFINITY))",
    "a large answer": "open('/run/check/answer', 'wb').write(bytes(200 << 20))",
    "all of /tmp": "for n in range(40): open(f'/tmp/{n}', 'wb').write(bytes(100 << 20))",
    "solutions": "import os; os.stat('/opt/stateful-streams/solutions')",
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_container_refuses(what: str, docker_lab: DockerLab, tmp_path: Path) -> None:
    code = f"print('tried', flush=True)\n{REFUSED[what]}\nprint('harm')"
    said, _ = ended(code, tmp_path)
    assert "tried" in said and "harm" not in said, said
    assert "Error" in said or "File size limit" in said, said


def test_a_container_ends_what_takes_too_much_memory(docker_lab: DockerLab, tmp_path: Path) -> None:
    greedy = "hoard = [b'x' * (1 << 20) for _ in range(1 << 12)]; print('harm')"
    said, why = ended(greedy, tmp_path, memory_mb=512)
    assert "harm" not in said and why is not None and "512 MB" in why


def test_many_processes_together_take_no_more_memory_than_one(
    docker_lab: DockerLab, tmp_path: Path
) -> None:
    # each child takes its memory and keeps it until the parent lets all of them end; one may be killed after it has
    # said so, to make room for another
    children = (
        "import os\nhas_taken, says_so = os.pipe()\nstays, ends = os.pipe()\n"
        "for _ in range(6):\n    if not os.fork():\n        os.close(ends)\n"
        "        taken = b'x' * (64 << 20)\n        os.close(says_so)\n"
        "        os._exit(len(os.read(stays, 1)))\n"
        "os.close(says_so)\nos.read(has_taken, 1)\nos.close(ends)\n"
        "print(sum(os.wait()[1] == 0 for _ in range(6)), 'of 6')"
    )
    said, _ = ended(children, tmp_path, memory_mb=256)
    assert "of 6" in said and "6 of 6" not in said


def test_what_waits_in_sockets_is_memory_of_the_container(
    docker_lab: DockerLab, tmp_path: Path
) -> None:
    fill = (
        "import socket\nheld, pairs = 0, []\nfor _ in range(1000):\n    pairs.append(socket.socketpair())\n"
        "    for one in pairs[-1]:\n        one.setblocking(False)\n        try:\n"
        "            while True:\n                held += one.send(bytes(1 << 15))\n"
        "        except OSError:\n            pass\nif held > 200 << 20:\n    print('harm')"
    )
    said, why = ended(fill, tmp_path, memory_mb=128)
    assert "harm" not in said and why is not None, said


def test_a_container_has_a_number_of_processes(docker_lab: DockerLab, tmp_path: Path) -> None:
    forks = "import os, time\nwhile True:\n    if not os.fork(): time.sleep(30)"
    said, _ = ended(forks, tmp_path, tasks=50, grace_seconds=20)
    assert "BlockingIOError" in said


def test_containers_of_a_supervisor_that_was_killed_are_ended_by_the_next(
    docker_lab: DockerLab, tmp_path: Path
) -> None:
    (tmp_path / "job").mkdir()
    start = (
        "import sys; from pathlib import Path; from grader.sandbox.container_sandbox import start\n"
        f"log = open({str(tmp_path / 'log')!r}, 'wb')\n"
        f"start(['python', '-c', 'import time; time.sleep(600)'], job=Path({str(tmp_path / 'job')!r}), log=log)\n"
        "print('up', flush=True); sys.stdin.read()"
    )
    supervisor = subprocess.Popen(
        [sys.executable, "-c", start], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert supervisor.stdout is not None and supervisor.stdout.readline() == "up\n"
    listed = ("ps", "--quiet", "--filter", f"label={container_sandbox.LABEL}")
    wait_until(lambda: docker(*listed), "its container is there")
    supervisor.kill()
    supervisor.wait()
    container_sandbox.find_image.cache_clear()
    container_sandbox.find_image()
    assert docker(*listed) == ""


def test_an_image_of_another_version_is_refused(
    docker_lab: DockerLab, monkeypatch: pytest.MonkeyPatch
) -> None:
    container_sandbox.find_image.cache_clear()
    monkeypatch.setattr(container_sandbox, "package_digest", lambda: "another")
    with pytest.raises(container_sandbox.SetupError, match=f"{IMAGE} does not fit.*Build it again"):
        container_sandbox.find_image()
    container_sandbox.find_image.cache_clear()


def test_the_variables_of_the_teacher_are_not_in_there(
    docker_lab: DockerLab, tmp_path: Path
) -> None:
    os.environ["A_SECRET_OF_MINE"] = "1234-secret"
    try:
        said, _ = ended("import os; print(dict(os.environ), os.getcwd())", tmp_path)
    finally:
        del os.environ["A_SECRET_OF_MINE"]
    assert "1234-secret" not in said and "/tmp/notebook" in said
