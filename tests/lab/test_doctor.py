"""Each finding of the doctor says what was found and, where it is bad, the mend."""

import shutil
import socket

import pytest

from grader.errors import SetupError
from grader.lab import doctor
from grader.lab.doctor import examine
from grader.runtime.bubblewrap import NoBubblewrapError
from grader.runtime.jars import jar_folder, jar_paths


def finding(name):
    return {found.name: found for found in examine()}[name]


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """A cache with good connector jars that a test may spoil."""
    good = jar_paths("connector")[0].parent
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "cache"))
    shutil.copytree(good, jar_folder("connector"))
    return jar_folder("connector")


def test_a_machine_that_is_set_up_is_well(state):
    for found in examine():
        if found.name not in ("memory", "disk", "packages", "sandbox"):  # these are the machine's
            assert found.ok, found
            assert found.found and not found.fix


def test_a_damaged_connector_jar_is_named(own_cache):
    assert finding("connector").ok
    jar = next(own_cache.glob("kafka-clients-*.jar"))
    jar.write_bytes(bytes(jar.stat().st_size))
    found = finding("connector")
    assert not found.ok and f"{jar.name} is damaged" in found.found
    assert found.fix == doctor.SETUP


def test_missing_jars_and_caches_are_named(own_cache):
    shutil.rmtree(own_cache)
    assert "5 of 5 jars" in finding("connector").found
    assert "46 of 46 jars" in finding("broker jars").found
    assert not finding("caches").ok


def test_an_unfit_java_comes_with_the_fix(monkeypatch):
    def none():
        raise SetupError("GRADER_JAVA=/x is Java 11. To fix it, do something.")

    monkeypatch.setenv("GRADER_JAVA", "/x")
    monkeypatch.setattr(doctor, "find_java", none)
    found = finding("java")
    assert (found.ok, found.found) == (False, "GRADER_JAVA=/x is Java 11.")
    assert "unset GRADER_JAVA" in found.fix


def test_a_package_of_another_version_is_named(tmp_path, monkeypatch):
    lock = tmp_path / "requirements.lock"
    lock.write_text(
        "pyspark==3.5.0 \\\n    --hash=sha256:00\nonly-on-windows==1 ; os_name == 'nt'\n"
    )
    monkeypatch.setattr(doctor, "LOCK", lock)
    for own, fix in ((True, "run make setup"), (False, f"run pip install -r {lock}")):
        monkeypatch.setattr(doctor, "OWN_PYTHON", own)
        found = finding("packages")
        assert found.found == "pyspark is 4.2.0, locked is 3.5.0"
        assert found.fix == fix


def test_too_little_memory_says_how_much_the_lab_takes(monkeypatch):
    monkeypatch.setattr(doctor, "_container_limit", lambda: 1.0)
    found = finding("memory")
    assert not found.ok and "of 1.0 GB; the lab takes up to 2.5 GB" in found.found
    assert "4 GB" in found.fix


def test_too_little_disk_names_the_variables_that_move_it(monkeypatch):
    monkeypatch.setattr(doctor, "NEEDED_CACHE_GB", 10**9)
    found = finding("disk")
    assert not found.ok and "GRADER_CACHE" in found.fix


def test_an_external_broker_that_does_not_answer_is_named(monkeypatch):
    monkeypatch.setenv("GRADER_KAFKA", "127.0.0.1:9")
    found = finding("broker")
    assert not found.ok and "GRADER_KAFKA=127.0.0.1:9 does not answer" in found.found
    assert found.fix.endswith("unset GRADER_KAFKA")


def test_one_broker_of_several_is_enough(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as second:
        address = f"127.0.0.1:9,127.0.0.1:{second.getsockname()[1]}"
        assert doctor._reach("broker", "GRADER_KAFKA", address).ok


def test_an_address_without_a_port_is_told_so_and_nobody_is_asked(monkeypatch):
    monkeypatch.setenv("GRADER_KAFKA", "kafka")
    found = finding("broker")
    assert not found.ok and found.found == "in GRADER_KAFKA=kafka, 'kafka' is no host:port"


def test_a_file_in_the_place_of_a_folder_is_told_with_the_variables(tmp_path, monkeypatch):
    (tmp_path / "state").touch()
    monkeypatch.setenv("GRADER_STATE", str(tmp_path / "state"))
    found = finding("folders")
    assert not found.ok and "GRADER_STATE" in found.fix


def test_a_spark_master_that_answers_is_well(monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as master:
        address = f"spark://127.0.0.1:{master.getsockname()[1]}"
        monkeypatch.setenv("GRADER_SPARK_MASTER", address)
        assert finding("spark master").ok


def test_a_host_name_that_nobody_knows_is_told(monkeypatch):
    def unknown(name):
        raise OSError("unknown")

    monkeypatch.setattr(doctor.socket, "gethostbyname", unknown)
    assert "/etc/hosts" in finding("ports").fix


def test_without_a_sandbox_a_learner_is_well_and_a_teacher_has_the_fix(monkeypatch):
    def none():
        raise NoBubblewrapError("the kernel says no", "ask it nicely")

    monkeypatch.setattr(doctor, "find_bubblewrap", none)
    found = finding("sandbox")
    assert found.ok and "the kernel says no" in found.found
    assert found.fix == "to grade a class: ask it nicely"
