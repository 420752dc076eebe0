"""The files that install the project agree with one another and name no one's machine."""

import re
import sys

import pytest
import yaml
from packaging.requirements import Requirement
from support import ROOT

from grader.runtime.doctor import locked_packages

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LOCKS = ["requirements.lock", "requirements-dev.lock"]


def entries(lock):
    """The requirement lines of a lock, with all their hashes."""
    text = (ROOT / lock).read_text().replace("\\\n", " ")
    return [line for line in text.splitlines() if line[:1].isalnum()]


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_is_pinned_by_version_and_hash(lock):
    for line in entries(lock):
        assert re.match(r"[a-z0-9-]+==[\w.]+ ", line), line
        assert "--hash=sha256:" in line, line


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_names_no_index_and_no_path(lock):
    text = (ROOT / lock).read_text()
    assert "://" not in text and "--index" not in text and "--find-links" not in text
    assert not re.search(r"(^|\s)[./~]+/\w", text)


@pytest.mark.parametrize("lock", LOCKS)
def test_the_lock_holds_what_the_project_asks_for(lock):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    locked = locked_packages(ROOT / lock)
    further = project["optional-dependencies"]["dev"] if "dev" in lock else []
    for text in [*project["dependencies"], *further]:
        wanted = Requirement(text)
        if wanted.marker is None or wanted.marker.evaluate():
            assert wanted.specifier.contains(locked[wanted.name]), text


def test_both_locks_agree():
    dev = locked_packages(ROOT / "requirements-dev.lock")
    for name, version in locked_packages(ROOT / "requirements.lock").items():
        assert dev[name] == version


def test_the_conda_environment_takes_its_pins_from_the_same_lock():
    environment = yaml.safe_load((ROOT / "environment.yml").read_text())
    conda = dict(
        d.split("=") for d in environment["dependencies"] if isinstance(d, str) and "=" in d
    )
    (pip,) = [d["pip"] for d in environment["dependencies"] if isinstance(d, dict)]
    assert pip == ["-r requirements.lock"]
    assert "openjdk" not in conda, "Java comes with the lock"
    assert tuple(map(int, conda["python"].split("."))) >= (3, 10)


def test_ci_calls_make_test_and_the_workflow_calls_ci():
    assert (ROOT / ".ci" / "run").read_text().rstrip().endswith("make test")
    workflow = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())
    assert workflow["jobs"]["test"]["steps"][-1] == {"run": "bash .ci/run"}
