"""Every jar is the one of the lock, or it is fetched again, or the message says what to do."""

import errno
import shutil
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import ClassVar

import pytest
from jgo.maven._resolver import PythonResolver

from grader.errors import SetupError
from grader.runtime import jars
from grader.runtime.jars import fetch_jars, jar_folder, jar_paths, locked_jars, missing_jars


@pytest.fixture
def good():
    """The content of the connector's jars, by file name."""
    return {path.name: path.read_bytes() for path in jar_paths("connector")}


@pytest.fixture
def mirror(good, tmp_path, monkeypatch):
    """A Maven mirror; `served` is what it has, `asked` what was fetched, `cut` what breaks off."""

    class Mirror(BaseHTTPRequestHandler):
        served: ClassVar[dict[str, bytes]] = good
        asked: ClassVar[list[str]] = []
        cut: ClassVar[set[str]] = set()

        def do_GET(self):
            name = self.path.rsplit("/", 1)[1]
            if name not in self.served:
                self.send_error(404)
                return
            self.asked.append(name)
            content = self.served[name]
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if name in self.cut:
                self.cut.discard(name)
                content = content[: len(content) // 2]
            self.wfile.write(content)

        def log_message(self, *_):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Mirror) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv("GRADER_MAVEN_MIRROR", f"http://127.0.0.1:{server.server_port}/maven/")
        monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "cache"))
        yield Mirror
        server.shutdown()


def test_jars_come_from_the_mirror_once(mirror, good):
    said = []
    paths = fetch_jars("connector", say=said.append)
    assert {path.name: path.read_bytes() for path in paths} == good
    assert sorted(mirror.asked) == sorted(good)
    assert said[-1].startswith(f"  [{len(good)}/{len(good)}]")
    fetch_jars("connector", say=said.append)
    assert len(mirror.asked) == len(good)


def test_a_jar_cut_short_on_disk_is_noticed_at_start_and_fetched_again(mirror, good):
    paths = fetch_jars("connector", say=lambda _: None)
    paths[0].write_bytes(good[paths[0].name][:1000])
    assert [jar.filename for jar in missing_jars("connector")] == [paths[0].name]
    assert jar_paths("connector")[0].read_bytes() == good[paths[0].name]
    assert mirror.asked.count(paths[0].name) == 2


def test_a_jar_damaged_on_disk_is_fetched_again_at_set_up(mirror, good):
    paths = fetch_jars("connector", say=lambda _: None)
    paths[1].write_bytes(bytes(len(good[paths[1].name])))
    said = []
    fetch_jars("connector", say=said.append)
    assert f"  {paths[1].name} is damaged: fetching it again" in said
    assert paths[1].read_bytes() == good[paths[1].name]


def test_a_download_that_breaks_off_is_tried_again(mirror, good):
    mirror.cut.add(locked_jars("connector")[0].filename)
    paths = fetch_jars("connector", say=lambda _: None)
    assert paths[0].read_bytes() == good[paths[0].name]
    assert mirror.asked.count(paths[0].name) == 2


def test_a_mirror_with_another_jar_is_refused_and_the_message_says_which(mirror, good):
    name = locked_jars("connector")[2].filename
    mirror.served = {**good, name: b"something else"}
    with pytest.raises(SetupError, match=rf"{name}: its SHA-256 is [0-9a-f]+, the lock has"):
        fetch_jars("connector", say=lambda _: None)
    assert not (jar_folder("connector") / name).exists()


def test_without_the_network_the_message_names_mirror_and_certificates(mirror, monkeypatch):
    monkeypatch.setenv("GRADER_MAVEN_MIRROR", "http://127.0.0.1:9/nobody")
    with pytest.raises(SetupError, match=r"GRADER_MAVEN_MIRROR .* REQUESTS_CA_BUNDLE"):
        fetch_jars("connector", say=lambda _: None)


def test_jars_of_another_lock_have_a_folder_of_their_own(mirror, good, tmp_path, monkeypatch):
    mine = fetch_jars("connector", say=lambda _: None)
    shutil.copytree(jars.LOCKS, tmp_path / "locks")
    lock = tmp_path / "locks" / "connector" / "jgo.lock.toml"
    left_out = lock.read_text().rpartition("[[dependencies]]")[0]
    lock.write_text(left_out)
    monkeypatch.setattr(jars, "LOCKS", tmp_path / "locks")
    theirs = fetch_jars("connector", say=lambda _: None)
    assert theirs[0].parent != mine[0].parent
    assert all(path.read_bytes() == good[path.name] for path in (*mine, *theirs))


@pytest.mark.parametrize("full", ["download", "note"])
def test_a_full_disk_is_told_with_what_is_needed_and_leaves_no_half(mirror, monkeypatch, full):
    """The system says so when a file is written: half of a jar, or the note of those that were verified."""

    def half(resolver, artifact):
        artifact.cached_path.parent.mkdir(parents=True, exist_ok=True)
        artifact.cached_path.write_bytes(b"half")
        raise OSError(errno.ENOSPC, "No space left on device")

    def nothing(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    if full == "download":
        monkeypatch.setattr(PythonResolver, "download", half)
    else:
        monkeypatch.setattr(jars.json, "dumps", nothing)
    with pytest.raises(
        SetupError, match=r"no room left in .* need 500 MB, \d+ MB are free\. Fix: "
    ) as told:
        fetch_jars("connector", say=lambda _: None)
    assert "\n" not in str(told.value)
    folder = jar_folder("connector")
    left = {path.suffix for path in folder.rglob("*") if path.is_file() and path.name != ".lock"}
    assert left <= ({".jar"} if full == "note" else set())


def test_the_connector_brings_only_what_pyspark_lacks():
    names = {jar.artifact for jar in locked_jars("connector")}
    assert names == {
        "commons-pool2",
        "hadoop-bare-naked-local-fs",
        "kafka-clients",
        "spark-sql-kafka-0-10_2.13",
        "spark-token-provider-kafka-0-10_2.13",
    }
    assert all(len(jar.sha256) == 64 for env in ("broker", "connector") for jar in locked_jars(env))


def test_repositories_of_the_jgo_configuration_are_used(monkeypatch, tmp_path):
    monkeypatch.delenv("GRADER_MAVEN_MIRROR", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_CONFIG_HOME", raising=False)
    assert list(jars.repositories()) == ["central"]
    (tmp_path / ".config").mkdir()
    configuration = tmp_path / ".config" / "jgo.conf"
    configuration.write_text("[repositories]\nschool = https://maven.school.example/\n")
    assert jars.repositories() == {"school": "https://maven.school.example"}
