"""`grader lab --docker` from build to Ctrl-C, against a Docker that only pretends."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from grader.errors import SetupError
from grader.lab import docker_lab
from grader.lab.docker_lab import build, lend_authorities
from grader.runtime.ports import is_free

ROOT = Path(__file__).parents[2]

# Notes every call; the containers are healthy while the file `up` is there.
PRETENDER = """\
#!/bin/sh
echo "$@" >> "$NOTES/calls"
case "$*" in
  *" up "*) touch "$NOTES/up" ;;
  *" down "*) rm -f "$NOTES/up" ;;
  *" logs "*) exec sleep 60 ;;
  "ps "*) [ -e "$NOTES/up" ] && echo one ;;
  "inspect "*)
    echo '[{"Name": "/lab", "State": {"Status": "running", "Health": {"Status": "healthy"}},'
    echo '"HostConfig": {"PortBindings": {"8888/tcp": [{"HostPort": "8888"}], "8081/tcp": null}},'
    echo '"Config": {"Labels": {"com.docker.compose.project.working_dir": "'"$FROM"'"}}}]' ;;
  "build "*) [ ! -e "$NOTES/broken" ] ;;
esac
"""


@pytest.fixture
def notes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "docker"
    program.write_text(PRETENDER)
    program.chmod(0o755)
    monkeypatch.setenv("NOTES", str(tmp_path))
    monkeypatch.setenv("FROM", str(ROOT / "docker"))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONUNBUFFERED", "1")
    return tmp_path


def start_lab() -> "subprocess.Popen[str]":
    grader = Path(sys.executable).with_name("grader")
    return subprocess.Popen(
        [grader, "lab", "--docker", "--no-browser", "--port", "8899"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def test_a_second_lab_leaves_the_first_one_alone_until_it_has_ended(notes: Path) -> None:
    with start_lab() as first:
        assert first.stdout is not None
        assert any(line.startswith("JupyterLab") for line in first.stdout)
        with start_lab() as second:
            assert second.stdout is not None
            assert "COMPOSE_PROJECT_NAME" in second.stdout.read()
        assert second.returncode == 2
        assert (notes / "calls").read_text().count("build ") == 1 and (notes / "up").exists()
        first.kill()
    with start_lab() as third:
        assert third.stdout is not None
        assert any(line.startswith("JupyterLab") for line in third.stdout)
        third.send_signal(signal.SIGINT)


def test_containers_that_another_clone_has_up_are_left_alone(
    notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FROM", "/home/ada/stateful-streams/docker")
    (notes / "up").touch()
    with start_lab() as lab:
        assert lab.stdout is not None
        assert "started from /home/ada/stateful-streams/docker" in lab.stdout.read()
    assert lab.returncode == 2
    assert (notes / "up").exists()


def test_a_second_lab_beside_the_first_has_ports_of_its_own(
    notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as two,
    ):
        first, second = (each.getsockname()[1] for each in (one, two))
        monkeypatch.setattr(
            docker_lab, "PORTS", {"LAB_PORT": first, "KAFKA_PORT": second, "SPARK_PORT": 9}
        )
        found = docker_lab.free_ports_of({"SPARK_PORT": "7078"}, own=[second])
    assert set(found) == {"LAB_PORT", "KAFKA_PORT"}
    assert int(found["LAB_PORT"]) != first and is_free(int(found["LAB_PORT"]))
    assert found["KAFKA_PORT"] == str(second)
    assert docker_lab.free_ports_of(dict.fromkeys(docker_lab.PORTS, "7078")) == {}, "all are named"
    (notes / "up").touch()
    assert docker_lab.Compose(ROOT).published() == {8888}


def test_the_usual_ports_are_those_of_the_compose_file() -> None:
    compose = (ROOT / "docker" / "compose.yaml").read_text()
    for name, port in docker_lab.PORTS.items():
        assert f"127.0.0.1:${{{name}:-{port}}}:" in compose


def test_the_image_fetches_jars_with_the_few_files_that_it_has_by_then(tmp_path: Path) -> None:
    """Before the rest, so that a change there does not fetch them again."""
    steps = (ROOT / "docker" / "Dockerfile").read_text().replace("\\\n", " ").splitlines()
    first = next(number for number, step in enumerate(steps) if "fetch_jars" in step)
    for step in steps[:first]:
        words = step.split()
        if words[:1] == ["COPY"] and any(word.startswith("grader/") for word in words):
            *sources, target = words[2:]
            for source in sources:
                place = tmp_path / target / ("" if (ROOT / source).is_dir() else Path(source).name)
                place.parent.mkdir(parents=True, exist_ok=True)
                copy = shutil.copytree if (ROOT / source).is_dir() else shutil.copyfile
                copy(ROOT / source, place)
    code = (
        f"import sys; sys.path = [{str(tmp_path)!r}, *(p for p in sys.path if p != {str(ROOT)!r})]\n"
        "from grader.runtime.jars import fetch_jars, jar_folder\n"
        "print(fetch_jars.__code__.co_filename, jar_folder('broker'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert str(tmp_path / "grader") in done.stdout, done.stderr


@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM])
def test_the_lab_comes_up_and_an_interrupt_takes_it_down(notes: Path, way: signal.Signals) -> None:
    with start_lab() as lab:
        assert lab.stdout is not None
        url = next(line.split()[1] for line in lab.stdout if line.startswith("JupyterLab"))
        assert url.startswith("http://127.0.0.1:8899/?token=") and len(url) > 60
        lab.send_signal(way)
        assert "your progress are kept" in lab.stdout.read()
    assert lab.returncode == 0
    assert not (notes / "up").exists()


def test_an_image_that_is_not_built_names_what_to_do(notes: Path) -> None:
    (notes / "broken").touch()
    with pytest.raises(SetupError, match=r"docker/engine\.sh up.*docker/certs/README\.md"):
        build(ROOT)


def test_without_docker_the_embedded_lab_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match="make lab"):
        build(ROOT)


def test_the_build_trusts_what_this_machine_trusts_and_no_longer(tmp_path: Path) -> None:
    machine, certs = tmp_path / "machine", tmp_path / "certs"
    (machine / "school").mkdir(parents=True)
    certs.mkdir()
    (certs / "mine.crt").write_text("mine")
    (machine / "school" / "proxy.crt").write_text("old")
    lend_authorities(machine, certs)
    written = (certs / "machine-proxy.crt").stat().st_mtime_ns
    lend_authorities(machine, certs)
    assert (certs / "machine-proxy.crt").stat().st_mtime_ns == written
    (machine / "school" / "proxy.crt").write_text("new")
    lend_authorities(machine, certs)
    assert {p.name: p.read_text() for p in certs.iterdir()} == {
        "mine.crt": "mine",
        "machine-proxy.crt": "new",
    }
    lend_authorities(tmp_path / "nowhere", certs)
    assert [p.name for p in certs.iterdir()] == ["mine.crt"]
