"""The files of a release: packages that are the same each time, and a bill with all that is locked."""

from __future__ import annotations

import copy
import json
import os
import re
import shutil
import subprocess
import tarfile
import time
import zipfile
from pathlib import Path
from typing import Any

import pytest
from testkit.lab_processes import ROOT

from grader.authoring.release.bill_of_materials import bill_of_materials, demand_valid
from grader.authoring.release.packages import build_packages
from grader.lab.doctor import locked_packages
from grader.runtime.jars import LOCKS, Jar, locked_jars, sha256
from grader.toml_file import read_toml

SECONDS = 1_790_000_000
LATER = 2_000_000_000


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project's files elsewhere, as a different person's machine has them: other times, other rights."""
    words = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(words, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    if not names:
        pytest.skip("a source archive does not know which files are the project's")
    copy = tmp_path_factory.mktemp("copy")
    for name in names:
        if (ROOT / name).is_file():
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
            (copy / name).chmod((ROOT / name).stat().st_mode & 0o700)
            os.utime(copy / name, (LATER, LATER))
    return copy


def test_the_same_files_give_the_same_packages(
    copied: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = build_packages(ROOT, tmp_path / "here", SECONDS)
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    there = build_packages(copied, tmp_path / "there", SECONDS)
    assert len(here) == 2
    assert {x.name: sha256(x) for x in here} == {x.name: sha256(x) for x in there}


def test_all_files_in_them_have_the_time_that_was_named(tmp_path: Path) -> None:
    wheel, archive = sorted(
        build_packages(ROOT, tmp_path, SECONDS), key=lambda x: x.suffix, reverse=True
    )
    with zipfile.ZipFile(wheel) as zipped:
        assert {x.date_time for x in zipped.infolist()} == {time.gmtime(SECONDS)[:6]}
    with tarfile.open(archive) as packed:
        assert {x.mtime for x in packed.getmembers()} == {SECONDS}
        assert any(
            x.name.endswith("/solutions/03_watermarks/lesson.py") for x in packed.getmembers()
        )


@pytest.fixture(scope="module")
def bill() -> dict[str, Any]:
    return dict(json.loads(bill_of_materials(ROOT, SECONDS)))


def test_the_bill_lists_every_locked_package_with_its_hashes(bill: dict[str, Any]) -> None:
    lock = (ROOT / "requirements.lock").read_text().replace("\\\n", " ")
    locked = {
        tuple(line.split()[0].split("==")): set(re.findall(r"--hash=sha256:(\w+)", line))
        for line in lock.splitlines()
        if line[:1].isalnum()
    }
    found = {
        (one["name"], one["version"]): {
            h["content"] for h in one["externalReferences"][0]["hashes"]
        }
        for one in bill["components"]
        if one["purl"].startswith("pkg:pypi/")
    }
    assert found == locked
    assert dict(found) and locked_packages(ROOT / "requirements.lock").keys() <= {
        n for n, _ in found
    }


def test_the_bill_lists_every_locked_jar_with_its_hash(bill: dict[str, Any]) -> None:
    locked = {jar for lock in LOCKS.iterdir() for jar in entries(lock)}
    found = {
        Jar(one["group"], one["name"], one["version"], one["hashes"][0]["content"])
        for one in bill["components"]
        if one["purl"].startswith("pkg:maven/")
    }
    assert found == locked
    assert {*locked_jars("broker"), *locked_jars("connector")} <= found


def entries(lock: Path) -> list[Jar]:
    jars = read_toml(lock / "jgo.lock.toml")["dependencies"]
    return [Jar(one["groupId"], one["artifactId"], one["version"], one["sha256"]) for one in jars]


def test_the_bill_lists_every_locked_npm_package(bill: dict[str, Any]) -> None:
    found = {one["purl"] for one in bill["components"] if one["purl"].startswith("pkg:npm/")}
    for lock in (ROOT / "grader").glob("**/package-lock.json"):
        packages = json.loads(lock.read_text())["packages"]
        names = {
            place.rpartition("node_modules/")[2]: x["version"]
            for place, x in packages.items()
            if place
        }
        assert {f"pkg:npm/{n.replace('@', '%40')}@{v}" for n, v in names.items()} <= found


def test_the_bill_is_of_this_project_and_the_same_each_time(bill: dict[str, Any]) -> None:
    about = bill["metadata"]["component"]
    project = read_toml(ROOT / "pyproject.toml")["project"]
    assert (about["name"], about["version"]) == (project["name"], project["version"])
    assert json.loads(bill_of_materials(ROOT, SECONDS)) == bill


@pytest.mark.slow
def test_the_bill_is_valid_and_a_damaged_one_is_not(bill: dict[str, Any]) -> None:
    demand_valid(json.dumps(bill))
    damaged = copy.deepcopy(bill)
    damaged["components"][-1]["hashes"][0]["content"] = "not a hash"
    with pytest.raises(ValueError, match="is not valid"):
        demand_valid(json.dumps(damaged))
