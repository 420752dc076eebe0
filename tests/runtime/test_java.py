"""A Java that Spark runs on is found, any other passed over, none at all told with the mend."""

import pytest

from grader.runtime import java
from grader.runtime.errors import SetupError


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A machine whose only Javas are those that the test puts under this folder."""
    java._installed.cache_clear()  # before and after: the result is kept for a process's life
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setattr(java, "USUAL_PLACES", (f"{tmp_path}/jvm/*",))
    monkeypatch.setattr(java.sys, "prefix", str(tmp_path / "prefix"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path / "cache"))
    yield tmp_path
    java._installed.cache_clear()


def put(folder, version, modules="java.base jdk.incubator.vector"):
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").write_text("#!/bin/sh\n")
    (folder / "bin" / "java").chmod(0o755)
    (folder / "release").write_text(f'JAVA_VERSION="{version}"\nMODULES="{modules}"\n')
    return folder


def test_java_home_comes_first(places, monkeypatch):
    put(places / "jvm" / "a", "17.0.9")
    monkeypatch.setenv("JAVA_HOME", str(put(places / "mine", "21.0.1")))
    assert (java.find_java().major, java.find_java().home) == (21, places / "mine")


def test_an_unfit_java_home_is_passed_over(places, monkeypatch):
    monkeypatch.setenv("JAVA_HOME", str(put(places / "mine", "1.8.0_402")))
    put(places / "jvm" / "b", "17.0.9")
    assert java.find_java().version == "17.0.9"


def test_a_link_on_the_path_leads_to_its_home(places):
    home = put(places / "elsewhere" / "jdk", "17.0.2")
    (places / "bin").mkdir()
    (places / "bin" / "java").symlink_to(home / "bin" / "java")
    assert java.find_java().home == home


def test_a_cut_down_runtime_is_passed_over(places):
    put(places / "jvm" / "small", "17.0.9", modules="java.base")
    with pytest.raises(SetupError):
        java.find_java()


def test_no_java_is_told_with_what_there_is_and_the_mend(places):
    home = put(places / "jvm" / "new", "25.0.1")
    with pytest.raises(SetupError) as told:
        java.find_java()
    assert f"No Java 17 or 21 found; Java 25.0.1 is in {home}." in str(told.value)
    assert "openjdk-17-jre-headless" in str(told.value) and "JAVA_HOME" in str(told.value)


def test_a_jdk_is_fetched_only_if_asked_and_remembered(places, monkeypatch):
    import cjdk

    home = put(places / "fetched", "17.0.13")
    asked = []
    monkeypatch.setattr(cjdk, "java_home", lambda **wanted: asked.append(wanted) or str(home))
    with pytest.raises(SetupError):
        java.find_java()
    assert java.find_java(fetch=True, say=lambda _: None).home == home
    assert java.find_java().home == home
    assert asked == [{"vendor": "temurin", "version": "17"}]


def test_a_jdk_that_cannot_be_fetched_is_told_with_the_mend(places, monkeypatch):
    import cjdk

    def unreachable(**_):
        raise RuntimeError("no network")

    monkeypatch.setattr(cjdk, "java_home", unreachable)
    said = []
    with pytest.raises(SetupError, match="openjdk-17-jre-headless"):
        java.find_java(fetch=True, say=said.append)
    assert said[-1] == "  could not fetch one: no network"
