"""A tag makes a release by the same command as a person, and each job may do no more than it must."""

from __future__ import annotations

import re
import subprocess
from typing import Any

import pytest
import yaml
from testkit.lab_processes import ROOT

WORKFLOW = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
JOBS: dict[str, Any] = WORKFLOW["jobs"]
RIGHTS = {
    "make": None,
    "publish": {"contents": "write"},
    "pages": {"actions": "write"},
    "image": {"contents": "read", "packages": "write"},
    "pypi": {"id-token": "write"},
}


def steps(job: str, key: str) -> list[str]:
    return [step[key] for step in JOBS[job]["steps"] if key in step]


def test_only_a_tag_starts_it() -> None:
    assert WORKFLOW[True] == {"push": {"tags": ["v[0-9]*"]}}  # YAML reads `on` as true


def test_each_job_has_the_rights_that_it_needs_and_no_more() -> None:
    assert WORKFLOW["permissions"] == {"contents": "read"}
    assert {name: job.get("permissions") for name, job in JOBS.items()} == RIGHTS
    assert JOBS["pypi"]["environment"] == "pypi"


def test_nothing_is_published_that_was_not_tried() -> None:
    assert steps("make", "run") == ["make release"]
    needs = {name: JOBS[name]["needs"] for name in RIGHTS if name != "make"}
    assert needs.pop("pages") == "publish" and set(needs.values()) == {"make"}
    for job in ("publish", "pypi"):
        assert "sha256sum --check SHA256SUMS" in steps(job, "run")


def test_a_release_is_ready_only_after_its_trial() -> None:
    words = ["make", "--dry-run", "release", "PREVIOUS=v0.9.0"]
    said = subprocess.run(words, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    steps_in_order = (
        "python -m grader.authoring.release.release_files",
        "PREVIOUS=v0.9.0 .venv/bin/pytest -v -m release",
        'echo "Ready: build/release"',
    )
    places = [said.index(step) for step in steps_in_order]
    assert places == sorted(places)


@pytest.mark.parametrize("job", RIGHTS)
def test_actions_are_pinned_by_major_version(job: str) -> None:
    for action in steps(job, "uses"):
        assert re.search(r"@(release/)?v\d+$", action) or action.startswith("./"), action


@pytest.mark.parametrize("job", RIGHTS)
def test_no_name_from_outside_is_pasted_into_a_command(job: str) -> None:

    assert not [command for command in steps(job, "run") if "${{" in command]


def test_the_trial_has_the_history_that_it_builds_an_older_release_from() -> None:
    checkout = JOBS["make"]["steps"][0]
    assert checkout["with"]["fetch-depth"] == 0
