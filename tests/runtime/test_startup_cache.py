"""Whose start-up caches stay, and which one a Java is given."""

from pathlib import Path

import pytest

from grader.lab.cache_cleanup import note_of, remove_unused_jars, remove_useless
from grader.runtime.java import find_java
from grader.runtime.startup_cache import cache_path, flags_to_use


def test_a_cache_made_for_other_jars_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setenv("GRADER_CACHE", str(tmp_path))
    java = find_java()
    jar = tmp_path / "a.jar"
    jar.write_bytes(b"one")
    made = cache_path("spark", java, [jar])
    assert flags_to_use(made) == []
    made.write_bytes(b"cache")
    assert f"-XX:AOTCache={made}" in flags_to_use(made)
    jar.write_bytes(b"another")
    assert flags_to_use(cache_path("spark", java, [jar])) == []


class Machine:
    """Clones on one machine, and the jars and caches that they share."""

    def __init__(self, folder: Path):
        self.folder, self.caches, self.jars = folder, folder / "archives", folder / "jars"
        self.caches.mkdir()

    def set_up(self, clone: str, name: str, kind: str = "spark", lock: str = "lock") -> None:
        own, jars = self.folder / clone, self.jars / lock
        for folder in (own, jars):
            folder.mkdir(exist_ok=True, parents=True)
        cache = self.caches / f"{kind}-{name}.aot"
        cache.write_bytes(b"cache")
        remove_useless(kind, cache, [self.folder, own, jars, jars], self.jars)
        remove_unused_jars(self.jars, self.caches)

    @property
    def kept(self) -> set[str]:
        found = {path.stem for path in self.caches.glob("*.aot")}
        assert found == {path.stem for path in self.caches.glob("*.from")}
        return found


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_the_caches_of_many_clones_stay_side_by_side(machine):
    for number in range(6):
        machine.set_up(f"clone{number}", str(number))
    machine.set_up("clone0", "0")
    assert machine.kept == {f"spark-{number}" for number in range(6)}


def test_a_clone_s_newer_cache_takes_the_place_of_its_older_one(machine):
    machine.set_up("clone", "old")
    machine.set_up("other", "theirs")
    machine.set_up("clone", "old", kind="broker")
    machine.set_up("clone", "new")
    assert machine.kept == {"spark-new", "spark-theirs", "broker-old"}


def test_the_cache_of_a_clone_that_is_gone_goes(machine):
    machine.set_up("gone", "theirs")
    machine.set_up("clone", "mine")
    (machine.folder / "gone").rmdir()
    machine.set_up("clone", "mine")
    assert machine.kept == {"spark-mine"}


def test_a_cache_of_which_nobody_knows_whose_it_is_goes(machine):
    machine.set_up("other", "unknown")
    note_of(machine.caches / "spark-unknown.aot").unlink()
    machine.set_up("clone", "mine")
    assert machine.kept == {"spark-mine"}


def test_the_jars_of_a_lock_stay_as_long_as_a_clone_has_caches_of_them(machine):
    def jars() -> set[str]:
        return {folder.name for folder in machine.jars.iterdir()}

    machine.set_up("clone", "1", lock="old")
    machine.set_up("other", "2", lock="old")
    machine.set_up("clone", "3", lock="new")
    assert machine.kept == {"spark-2", "spark-3"}
    assert jars() == {"old", "new"}
    machine.set_up("other", "4", lock="new")
    assert machine.kept == {"spark-3", "spark-4"}
    assert jars() == {"new"}
