"""The attack suite of the sandbox: every attack works outside, and in the sandbox it does not.

Plain Python in place of a notebook, so most take a moment; docs/attacks.md lists them by the names of
these tests.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import attacks
import nbformat
import pytest
from submissions import RIGHT, filled, write

from grader.classroom import sandbox
from grader.classroom.preprocessors import Record
from grader.classroom.sandbox import HANDED_IN, WORK, Limits, choose_kind
from grader.classroom.seen import Wanted
from grader.classroom.supervise import supervise
from grader.classroom.syscalls import MACHINES, NAMES
from grader.judging.pack import FILE_NAME, read_pack
from grader.runtime import bubblewrap
from grader.runtime.bubblewrap import NoBubblewrapError, find_bubblewrap, mend_for
from grader.runtime.errors import SetupError
from grader.runtime.java import find_java
from grader.runtime.paths import cache_dir
from grader.runtime.scratch import make_scratch, remove_scratch
from grader.runtime.setup import start_ups

PROJECT = Path(__file__).resolve().parents[2]
PATIENCE = 30

try:
    find_bubblewrap()
    here = ""
except NoBubblewrapError as problem:
    here = f"no sandbox here: {problem}"
needs_sandbox = pytest.mark.skipif(bool(here), reason=here)


@dataclass
class Lab:
    """A submission's two folders, and how to run an attack outside and inside."""

    job: Path
    handed_in: Path

    def outside(self, code: str, *given: Any) -> str:
        """What the attack says when nothing holds it; it runs as a process that the test started."""
        done = subprocess.run(
            attacks.program(attacks.WRAPPED.format(code=code), *given),
            cwd=self.handed_in,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE,
            start_new_session=True,
        )
        return done.stdout.decode()

    def start(self, code: str, *given: Any, limits: Limits | None = None) -> sandbox.Sandboxed:
        with open(self.job / "log", "wb") as log:
            return sandbox.start(
                attacks.program(attacks.WRAPPED.format(code=code), *given),
                job=self.job,
                writable=["answer"],
                handed_in=self.handed_in,
                log=log,
                limits=limits,
            )

    def inside(self, code: str, *given: Any, limits: Limits | None = None) -> str:
        """What the attack says in the sandbox."""
        self.start(code, *given, limits=limits).end(PATIENCE)
        return (self.job / "log").read_text()

    def fails_inside(
        self, code: str, *given: Any, refused: str, limits: Limits | None = None
    ) -> None:
        """It does its harm outside; inside it is tried, and refused with these words (or is ended)."""
        assert "harm" in self.outside(code, *given)
        said = self.inside(code, *given, limits=limits)
        assert "tried" in said
        assert "harm" not in said
        assert re.search(refused, said), said


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    job, handed_in = tmp_path / "job", tmp_path / "submitted" / "ada" / "03_watermarks"
    job.mkdir()
    handed_in.mkdir(parents=True)
    (job / "JOB.json").write_text("{}")
    (job / "answer").touch()
    (handed_in / "03_watermarks.ipynb").write_text("{}")
    return Lab(job, handed_in)


@pytest.fixture
def put(request: pytest.FixtureRequest) -> Callable[[Path], Path]:
    """Put a file with a secret somewhere on the machine, until the test is over."""

    def make(path: Path) -> Path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("secret")
        request.addfinalizer(lambda: path.unlink(missing_ok=True))
        return path

    return make


NO_FILE = "No such file"
READ_ONLY = "Read-only file system"
UNIQUE = f"attack-{uuid.uuid4().hex[:8]}"

# what it reads

SECRETS: dict[str, Callable[[Path], Path]] = {
    "home": lambda _: Path.home() / f".{UNIQUE}",
    "temporary_files": lambda _: Path(tempfile.gettempdir()) / UNIQUE,
    "another_submission": lambda course: course / "submitted/bob/03_watermarks/03_watermarks.ipynb",
    "graded_work": lambda course: course / "autograded/bob/03_watermarks/03_watermarks.ipynb",
    "feedback": lambda course: course / "feedback/bob/03_watermarks/03_watermarks.html",
    "grade_book": lambda course: course / "gradebook.db",
    "settings_of_the_class": lambda course: course / "nbgrader_config.py",
    "hidden_answers": lambda _: cache_dir() / "hidden" / f"{UNIQUE}.json",
}


@needs_sandbox
@pytest.mark.parametrize("secret", SECRETS)
def test_reading_files(lab: Lab, tmp_path: Path, put: Callable[[Path], Path], secret: str) -> None:
    path = put(SECRETS[secret](tmp_path))
    lab.fails_inside(attacks.READ, path, refused=NO_FILE)


@needs_sandbox
@pytest.mark.parametrize(
    "path",
    ["solutions/03_watermarks/lesson.py", "tests/classroom/attacks.py", "course/03_watermarks/" + FILE_NAME],
)  # fmt: skip
def test_reading_the_course(lab: Lab, path: str) -> None:
    lab.fails_inside(attacks.READ, PROJECT / path, refused=NO_FILE)


@needs_sandbox
@pytest.mark.parametrize("path", ["/etc/shadow", "/etc/hostname", "/etc/machine-id", "/etc/fstab"])
def test_reading_the_systems_secrets(lab: Lab, path: str) -> None:
    if not os.access(path, os.R_OK):
        pytest.skip(f"{path} cannot be read outside either")
    lab.fails_inside(attacks.READ, path, refused=NO_FILE)


@needs_sandbox
def test_reading_the_systems_users(lab: Lab) -> None:
    names = "print([line.split(':')[0] for line in open('/etc/passwd')])"
    assert "daemon" in lab.outside(names)
    assert "['root', 'learner']" in lab.inside(names)


@needs_sandbox
def test_following_a_link_out(lab: Lab, put: Callable[[Path], Path]) -> None:
    (lab.handed_in / "link").symlink_to(put(Path.home() / f".{UNIQUE}"))
    lab.fails_inside(attacks.READ, "link", refused=NO_FILE)


@needs_sandbox
def test_following_dots_out(lab: Lab, tmp_path: Path, put: Callable[[Path], Path]) -> None:
    put(tmp_path / "submitted/bob/03_watermarks/03_watermarks.ipynb")
    path = "../../bob/03_watermarks/03_watermarks.ipynb"
    lab.fails_inside(attacks.READ, path, refused=NO_FILE)


@needs_sandbox
def test_making_a_hard_link(lab: Lab, tmp_path: Path, put: Callable[[Path], Path]) -> None:
    path = put(tmp_path / "gradebook.db")
    assert "harm" in lab.outside(attacks.LINK, path, tmp_path)
    assert NO_FILE in lab.inside(attacks.LINK, path, WORK)
    assert "cross-device" in lab.inside(attacks.LINK, HANDED_IN / "03_watermarks.ipynb", WORK)


@needs_sandbox
def test_reading_anothers_scratch_folder(lab: Lab) -> None:
    folder = make_scratch("check")
    try:
        (folder / "recording").write_text("x")
        lab.fails_inside(attacks.READ, folder / "recording", refused=NO_FILE)
    finally:
        remove_scratch(folder)


@needs_sandbox
def test_reading_the_environment_of_any_process(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key in the teacher's environment; bwrap's own process, too, can be read from inside."""
    halves = uuid.uuid4().hex, uuid.uuid4().hex
    monkeypatch.setenv("COURSE_KEY", "".join(halves))
    lab.fails_inside(attacks.ENVIRONMENT, *halves, refused="tried")


# what it writes


@needs_sandbox
def test_writing_files(lab: Lab, tmp_path: Path, put: Callable[[Path], Path]) -> None:
    path = put(tmp_path / "gradebook.db")
    lab.fails_inside(attacks.WRITE, path, refused=NO_FILE)
    assert path.read_text() == "secretx", "once, from outside"


@needs_sandbox
@pytest.mark.parametrize(
    "folder",
    [PROJECT / "grader", PROJECT / "datasets", Path(sys.prefix), cache_dir() / "jars"],
    ids=["grader", "datasets", "packages", "jars"],
)
def test_changing_what_others_run(lab: Lab, folder: Path) -> None:
    if not os.access(folder, os.W_OK):
        pytest.skip("cannot be written outside either")
    lab.fails_inside(attacks.CREATE, folder, refused=READ_ONLY)


@needs_sandbox
def test_changing_the_job_or_the_submission(lab: Lab) -> None:
    for path in (sandbox.CHECK / "JOB.json", HANDED_IN / "03_watermarks.ipynb"):
        assert READ_ONLY in lab.inside(attacks.WRITE, path)
    for path in (sandbox.CHECK / "answer", WORK / "03_watermarks.ipynb"):
        assert "harm" in lab.inside(attacks.WRITE, path), "these are its own"
    assert (lab.job / "answer").read_text() == "x"
    assert (lab.handed_in / "03_watermarks.ipynb").read_text() == "{}", "it had a copy"


@needs_sandbox
def test_replacing_an_answer_by_a_link(lab: Lab) -> None:
    said = lab.inside(attacks.REPLACE, sandbox.CHECK / "answer")
    assert "tried" in said and "harm" not in said
    assert "harm" in lab.outside(attacks.REPLACE, lab.job / "answer")


@needs_sandbox
def test_changing_a_setting_of_the_kernel(lab: Lab) -> None:
    """For root these files are writable whatever rights it gave up: seen with bwrap's own /proc."""
    path = "/proc/sys/kernel/core_pattern"
    if not os.access(path, os.W_OK):
        pytest.skip("cannot be written outside either")
    lab.fails_inside(attacks.SYSTEM_SETTING, path, refused=READ_ONLY)


# whom it talks to


@needs_sandbox
def test_connecting_to_the_machines_loopback(lab: Lab) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = listener.getsockname()
        lab.fails_inside(attacks.CONNECT, *address, refused="refused")
        own = f"import socket; s = socket.create_server(('127.0.0.1', {address[1]}))"
        own += "; socket.create_connection(s.getsockname()); harm()"
        assert "harm" in lab.inside(own), "it has a loopback of its own, with all ports free"


@needs_sandbox
def test_connecting_to_the_outside(lab: Lab) -> None:
    address = "192.0.2.1"  # kept free for examples; nothing is sent there
    if "harm" not in lab.outside(attacks.ROUTE, address):
        pytest.skip("this machine has no way out either")
    lab.fails_inside(attacks.ROUTE, address, refused="unreachable")


@needs_sandbox
@pytest.mark.parametrize("kind", ["a_file", "abstract"])
def test_connecting_to_a_service_by_a_unix_socket(lab: Lab, kind: str) -> None:
    """As Docker's, which would be the whole machine."""
    with tempfile.TemporaryDirectory() as folder, socket.socket(socket.AF_UNIX) as listener:
        name = f"{folder}/docker.sock" if kind == "a_file" else f"@{UNIQUE}"
        listener.bind(name.replace("@", "\0"))
        listener.listen()
        lab.fails_inside(attacks.UNIX, name, refused="No such file|refused")


@needs_sandbox
@pytest.mark.parametrize("family", ["AF_VSOCK", "AF_PACKET", "AF_BLUETOOTH", "AF_ALG"])
def test_opening_a_socket_of_another_kind(lab: Lab, family: str) -> None:
    """AF_VSOCK reaches the host of a virtual machine: no network namespace holds it."""
    number = getattr(socket, family, None)
    kinds = (socket.SOCK_STREAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET)
    for kind in kinds if number is not None else ():
        if "harm" in lab.outside(attacks.FAMILY, int(number), int(kind)):
            lab.fails_inside(attacks.FAMILY, int(number), int(kind), refused="not supported")
            return
    pytest.skip(f"{family} cannot be opened outside either")


# which processes it meets


@contextlib.contextmanager
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process of the machine, with UNIQUE in its command line."""
    process = subprocess.Popen(attacks.program("import time; time.sleep(60)", UNIQUE))
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@needs_sandbox
def test_seeing_processes(lab: Lab) -> None:
    half = len(UNIQUE) // 2
    with bystander():
        lab.fails_inside(attacks.SEE_PROCESS, UNIQUE[:half], UNIQUE[half:], refused="tried")


@needs_sandbox
def test_killing_processes(lab: Lab) -> None:
    with bystander() as victim:
        assert "harm" in lab.outside(attacks.KILL, victim.pid)
        assert victim.wait(5) == -signal.SIGKILL
    with bystander() as victim:
        assert "harm" not in lab.inside(attacks.KILL, victim.pid)
        lab.inside(attacks.KILL_ALL)
        assert victim.poll() is None


@needs_sandbox
def test_leaving_a_daemon_behind(lab: Lab) -> None:
    lab.outside(attacks.DAEMON, lab.job / "answer")
    wait_for(lambda: (lab.job / "answer").read_text() == "harm")
    (lab.job / "answer").write_text("")
    assert "tried" in lab.inside(attacks.DAEMON, sandbox.CHECK / "answer")
    time.sleep(1.5)
    assert (lab.job / "answer").read_text() == ""


@needs_sandbox
def test_outliving_its_order_to_end(lab: Lab) -> None:
    code = attacks.DAEMON + "\ntime.sleep(60)"
    running = lab.start(code, sandbox.CHECK / "answer")
    wait_for(lambda: "tried" in (lab.job / "log").read_text())
    began = time.monotonic()
    running.end(0.1)
    assert time.monotonic() - began < 1
    time.sleep(1.5)
    assert (lab.job / "answer").read_text() == ""


@needs_sandbox
def test_outliving_the_supervisor(lab: Lab) -> None:
    """Killed with SIGKILL, the supervisor can end nobody: the kernel does."""
    code = (
        "import sys; sys.path[:0] = sys.argv[1].split(':')\n"
        "from pathlib import Path\n"
        "import attacks\n"
        "from grader.classroom import sandbox\n"
        "job = Path(sys.argv[2])\n"
        "with open(job / 'log', 'wb') as log:\n"
        "    command = attacks.program(sys.argv[3], sandbox.CHECK / 'answer')\n"
        "    running = sandbox.start(command, job=job, writable=['answer'], log=log)\n"
        "running.process.wait()\n"
    )
    words = [
        ":".join(filter(None, sys.path)),
        str(lab.job),
        attacks.WRAPPED.format(code=attacks.BEAT),
    ]
    supervisor = subprocess.Popen([sys.executable, "-c", code, *words], start_new_session=True)
    answer = lab.job / "answer"
    wait_for(lambda: answer.stat().st_size > 2)
    supervisor.kill()
    supervisor.wait()
    time.sleep(0.3)
    size = answer.stat().st_size
    time.sleep(0.5)
    assert answer.stat().st_size == size


# what it takes

SMALL = Limits(tmp_mb=16, shm_mb=4, file_mb=8, open_files=64, tasks=40, cpu_seconds=1)


@needs_sandbox
@pytest.mark.parametrize("folder", ["/tmp", "/dev/shm"])
def test_filling_memory_that_looks_like_a_disk(lab: Lab, tmp_path: Path, folder: str) -> None:
    assert "harm" in lab.outside(attacks.FILL, tmp_path, 24)
    said = lab.inside(attacks.FILL, folder, 24, limits=replace(SMALL, file_mb=1000))
    assert "tried" in said and "No space left" in said


@needs_sandbox
def test_finding_room_elsewhere(lab: Lab) -> None:
    """Every place that can be written is one of the small ones: nor / or /dev, which bwrap leaves open."""
    lab.fails_inside(attacks.ROOM, 16, refused="tried", limits=SMALL)


@needs_sandbox
def test_filling_the_disk_with_an_answer(lab: Lab, tmp_path: Path) -> None:
    """The answers are the only files of the machine that it can write."""
    assert "harm" in lab.outside(attacks.FILL, tmp_path, 16)
    write_much = (
        "file = open(given[0], 'wb')\nfor _ in range(16): file.write(bytes(1 << 20))\nharm()"
    )
    assert "File too large" in lab.inside(write_much, sandbox.CHECK / "answer", limits=SMALL)
    assert (lab.job / "answer").stat().st_size <= 8 << 20


@needs_sandbox
def test_a_gigabyte_of_output(lab: Lab) -> None:
    assert len(lab.outside(attacks.SAY_MUCH, 32)) > 32 << 20
    lab.inside(attacks.SAY_MUCH, 1024, limits=SMALL)
    assert (lab.job / "log").stat().st_size <= 8 << 20


@needs_sandbox
def test_taking_memory(lab: Lab) -> None:
    limits = replace(SMALL, process_mb=128)
    lab.fails_inside(attacks.TAKE_MEMORY, 256, refused="MemoryError", limits=limits)


@needs_sandbox
def test_taking_memory_in_small_parts(lab: Lab) -> None:
    assert "harm" in lab.outside(attacks.TAKE_MEMORY_TOGETHER, 6, 64)
    running = lab.start(attacks.TAKE_MEMORY_TOGETHER, 6, 64, limits=replace(SMALL, memory_mb=256))
    assert running.end(PATIENCE) == 128 + signal.SIGKILL
    assert running.why == "its processes took more than 256 MB of memory"
    assert "harm" not in (lab.job / "log").read_text()


@needs_sandbox
@pytest.mark.parametrize("attack", ["HIDE_MEMORY", "SHARE_MEMORY"])
def test_taking_memory_that_no_process_holds(lab: Lab, attack: str) -> None:
    if sandbox.refused_calls() is None:
        pytest.skip("no list of system calls for this processor")
    lab.fails_inside(getattr(attacks, attack), 16, refused="tried")


@needs_sandbox
@pytest.mark.parametrize("attack", ["FORK", "THREADS"])
def test_a_bomb_of_processes(lab: Lab, attack: str) -> None:
    code = getattr(attacks, attack)
    assert "harm" in lab.outside(code, 100)
    running = lab.start(code, 100, limits=SMALL)
    running.end(PATIENCE)
    said = (lab.job / "log").read_text()
    assert "harm" not in said
    # the kernel refuses it to a user; root is not counted there, the watch sees it
    assert running.why or re.search("Resource temporarily unavailable|can't start new thread", said)


@needs_sandbox
def test_opening_files_without_end(lab: Lab) -> None:
    lab.fails_inside(attacks.OPEN, 100, refused="Too many open files", limits=SMALL)


@needs_sandbox
def test_burning_cpu_time(lab: Lab) -> None:
    assert "harm" in lab.outside(attacks.BURN, 1.5)
    running = lab.start(attacks.BURN, 3, limits=SMALL)
    assert running.end(PATIENCE) in (128 + signal.SIGXCPU, 128 + signal.SIGKILL)
    assert "harm" not in (lab.job / "log").read_text()


@needs_sandbox
def test_lifting_the_limits(lab: Lab) -> None:
    lab.fails_inside(attacks.CHANGE_LIMITS, 1024, refused="not allowed", limits=SMALL)


# which rights it gets


@needs_sandbox
@pytest.mark.parametrize("attack", ["NAMESPACE", "CHILD_IN_NAMESPACE"])
def test_making_namespaces_of_its_own(lab: Lab, attack: str) -> None:
    """In a user namespace of its own it would be root, with all of the kernel's doors for root."""
    code = getattr(attacks, attack)
    if "harm" not in lab.outside(code):
        pytest.skip("cannot be made outside either")
    lab.fails_inside(code, refused="tried")


@needs_sandbox
def test_becoming_another_user(lab: Lab) -> None:
    if os.getuid() == 0:
        lab.fails_inside(attacks.SETUID, 2, refused="Invalid argument|not permitted")
    assert "harm" not in lab.inside(attacks.SETUID, 0)
    privileges = (
        "print(*[line for line in open('/proc/self/status') if 'Priv' in line or 'Eff' in line])"
    )
    said = lab.inside(privileges)
    assert "NoNewPrivs:\t1" in said and "CapEff:\t0000000000000000" in said


# the whole of it


@needs_sandbox
def test_all_that_a_check_needs_is_there(lab: Lab) -> None:
    """Java with its start-up caches, jars, datasets, names of user and host, folders to write in."""
    with open(lab.job / "log", "wb") as log:
        command = [sys.executable, "-c", attacks.NEEDED]
        code = sandbox.start(command, job=lab.job, handed_in=lab.handed_in, log=log).end(PATIENCE)
    said = (lab.job / "log").read_text()
    assert code == 0, said
    assert str([(each.kind, each.misfit()) for each in start_ups(find_java())]) in said
    assert "learner 127.0.0.1 True" in said and "missing []" in said


@needs_sandbox
@pytest.mark.slow
def test_a_submission_gets_the_same_verdicts_as_outside(built: Path, tmp_path: Path) -> None:
    prying = (
        "import os\n"
        f"seen = [os.path.exists(path) for path in ({str(PROJECT / 'solutions')!r}, '/etc/shadow')]\n"
        "open('made-by-a-cell', 'w').close()\n"
        "print(seen, os.getcwd(), os.uname().nodename)\n"
    )
    answers = {**RIGHT, "kept": "def kept(clicks):\n    return clicks", "add": prying}
    notebook = filled(built / f"{built.name}.ipynb", answers)
    folder = write(notebook, tmp_path / built.name / f"{built.name}.ipynb").parent
    wanted = [Wanted(packed, packed.plays()) for packed in read_pack(built / FILE_NAME).graded()]
    found = {kind: supervise(notebook, wanted, folder, sandbox=kind) for kind in ("bwrap", "none")}
    told = {
        kind: {name: replace(v, seconds=0).to_dict() for name, v in checked.verdicts.items()}
        for kind, checked in found.items()
    }
    assert told["bwrap"] == told["none"]
    assert [v["status"] for v in told["bwrap"].values()] == ["passed", "failed", "passed"]
    said = {
        kind: [o["text"] for cell in checked.cells.values() for o in cell.outputs if "text" in o]
        for kind, checked in found.items()
    }
    assert said["bwrap"] == [f"[False, False] {WORK} localhost\n"]
    assert said["none"] == [f"[True, True] {folder} {os.uname().nodename}\n"]


# the choice


def no_sandbox() -> Path:
    raise NoBubblewrapError("the kernel says no", "ask it nicely")


def test_where_no_sandbox_can_be_made_nothing_is_graded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(sandbox.VARIABLE, raising=False)
    monkeypatch.setattr(sandbox, "find_bubblewrap", no_sandbox)
    with pytest.raises(
        SetupError, match=r"kernel says no(.|\n)*ask it nicely(.|\n)*GRADER_SANDBOX=none"
    ):
        Record().preprocess(nbformat.v4.new_notebook(), {})


def test_without_a_sandbox_only_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(sandbox.VARIABLE, raising=False)
    assert choose_kind("none", otherwise="auto") == "none"
    assert choose_kind(None, otherwise="none") == "none", "a learner at home"
    monkeypatch.setenv(sandbox.VARIABLE, "none")
    assert choose_kind(None, otherwise="auto") == "none"
    monkeypatch.setattr(sandbox, "find_bubblewrap", lambda: Path("/usr/bin/bwrap"))
    assert choose_kind("auto", otherwise="auto") == "bwrap"
    monkeypatch.setenv(sandbox.VARIABLE, "docker")
    with pytest.raises(SetupError, match="no kind of sandbox"):
        choose_kind(None, otherwise="auto")


def test_a_large_folder_is_not_copied_and_one_with_your_own_files_not_shown(tmp_path: Path) -> None:
    assert sandbox.work_folder(tmp_path) == WORK
    with open(tmp_path / "data", "wb") as file:
        file.truncate((sandbox.COPIED_MB + 1) << 20)
    assert sandbox.work_folder(tmp_path) == HANDED_IN
    with pytest.raises(SetupError, match="folder of its own"):
        sandbox.work_folder(Path.home())


@pytest.mark.parametrize(
    ("path", "text", "mend"),
    [
        (".dockerenv", "", "--security-opt"),
        ("proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n", "apparmor_parser"),
        ("proc/sys/kernel/unprivileged_userns_clone", "0\n", "unprivileged_userns_clone=1"),
        ("proc/sys/user/max_user_namespaces", "0\n", "max_user_namespaces"),
        ("nothing", "", "user namespaces"),
    ],
)
def test_the_mend_fits_the_kernel(tmp_path: Path, path: str, text: str, mend: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text(text)
    assert mend in mend_for(Path("/usr/bin/bwrap"), tmp_path)


def test_a_system_without_namespaces_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bubblewrap, "sys", SimpleNamespace(platform="darwin"))
    find_bubblewrap.cache_clear()
    try:
        with pytest.raises(NoBubblewrapError, match="Linux"):
            find_bubblewrap()
    finally:
        find_bubblewrap.cache_clear()


@needs_sandbox
@pytest.mark.skipif(not shutil.which("false"), reason="no program `false`")
def test_a_bwrap_that_does_not_work_is_not_taken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    broken, good = Path(str(shutil.which("false"))), find_bubblewrap()
    monkeypatch.setattr(bubblewrap, "_programs", lambda: [broken, good])
    find_bubblewrap.cache_clear()
    try:
        assert find_bubblewrap() == good
    finally:
        find_bubblewrap.cache_clear()


def test_every_refused_call_has_a_number() -> None:
    assert {len(machine.refused) for machine in MACHINES.values()} == {len(NAMES)}


def test_the_page_lists_every_attack_of_this_suite() -> None:
    page = (PROJECT / "docs" / "attacks.md").read_text(encoding="utf-8")
    source = Path(__file__).read_text(encoding="utf-8").split("# the whole of it")[0]
    assert set(re.findall(r"`(test_\w+)`", page)) >= set(re.findall(r"def (test_\w+)", source))


def wait_for(there: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not there():
        assert time.monotonic() < until
        time.sleep(0.02)
