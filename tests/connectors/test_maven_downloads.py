"""Downloads from a Maven repository: whole and verified, or an error that names the fix."""

import hashlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from grader.connectors.change_data.connect_worker import fetch_debezium
from grader.connectors.change_data.maven_downloads import MavenFile, maven_files
from grader.errors import SetupError

CONTENT = b"jar" * 700_000


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[MavenFile]:
    """A file that a repository on this machine has."""
    file = MavenFile("org.shop", "till", "1.0", hashlib.sha256(CONTENT).hexdigest(), "-all.tar.gz")
    path = tmp_path / "repository" / file.path
    path.parent.mkdir(parents=True)
    path.write_bytes(CONTENT)
    serve = partial(Quiet, directory=tmp_path / "repository")
    server = ThreadingHTTPServer(("127.0.0.1", 0), serve)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("GRADER_MAVEN_MIRROR", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    yield file
    server.shutdown()
    server.server_close()


def cached(tmp_path: Path) -> list[str]:
    return sorted(path.name for path in (tmp_path / "cache" / "maven").iterdir())


def test_a_file_is_downloaded_once_and_its_progress_is_told(
    file: MavenFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    (path,) = maven_files([file], "a till", 2, say=said.append)
    assert path.read_bytes() == CONTENT
    assert said[0] == "Downloading a till, once (2 MB) …" and said[-1] == "… verified."
    assert "  1 of 2 MB" in said
    monkeypatch.setenv("GRADER_MAVEN_MIRROR", "http://127.0.0.1:9")
    assert maven_files([file], "a till", 2, say=said.append) == [path]
    assert cached(tmp_path) == [".lock", file.name]


def test_a_file_that_was_changed_is_downloaded_again(file: MavenFile) -> None:
    (path,) = maven_files([file], "a till", 2, say=lambda line: None)
    path.write_bytes(b"other")
    maven_files([file], "a till", 2, say=lambda line: None)
    assert path.read_bytes() == CONTENT


def test_a_file_with_a_different_hash_is_not_taken(file: MavenFile, tmp_path: Path) -> None:
    other = MavenFile(file.group, file.artifact, file.version, 64 * "0", file.ending)
    with pytest.raises(SetupError, match=f"SHA-256 is {file.sha256}, the lock has {64 * '0'}"):
        maven_files([other], "a till", 2, say=lambda line: None)
    assert cached(tmp_path) == [".lock"]


def test_without_a_network_the_error_names_the_fix(
    file: MavenFile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GRADER_MAVEN_MIRROR", "http://127.0.0.1:9")
    with pytest.raises(SetupError, match=r"Check the network.*GRADER_MAVEN_MIRROR"):
        maven_files([file], "a till", 2, say=lambda line: None)
    assert cached(tmp_path) == [".lock"]


def test_debezium_is_fetched_without_the_jars_that_the_broker_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[MavenFile] = []
    monkeypatch.setattr(
        "grader.connectors.change_data.connect_worker.maven_files",
        lambda files, *_, **named: asked.extend(files) or [],
    )
    monkeypatch.setattr(
        "grader.connectors.change_data.connect_worker.jar_paths",
        lambda name: [Path("kafka-clients-4.3.0.jar")],
    )
    fetch_debezium()
    names = {file.name for file in asked}
    assert "debezium-connector-postgres-3.6.1.Final.jar" in names
    assert "kafka-clients-4.3.0.jar" not in names
