"""The files that install the project agree with one another and name no one's machine."""

import re
import shutil
import subprocess
import sys

import pytest
import yaml
from packaging.requirements import Requirement
from testkit.lab_processes import ROOT

from grader.lab.doctor import locked_packages

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


def test_ci_calls_make_in_stages_of_which_each_waits_for_the_one_before():
    assert (ROOT / ".ci" / "run").read_text().rstrip().endswith("make test")
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "ci.yml").read_text())["jobs"]
    commands = {name: job["steps"][-1]["run"] for name, job in jobs.items()}
    assert commands == {
        "style": "make check-style",
        "quick": "make test-quick",
        "spark": "make test",
        "docker": "make docker-test",
    }
    assert [job.get("needs") for job in jobs.values()] == [None, *list(jobs)[:-1]]


def test_each_other_system_runs_the_quick_tests_and_one_graded_stream():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "systems.yml").read_text())["jobs"]
    assert list(jobs) == ["macos", "windows"]
    for job in jobs.values():
        *_, tests, stream = (step["run"] for step in job["steps"] if "run" in step)
        assert tests.endswith("make test-quick")
        exercise = re.search(r"grader verify --fresh ([\d.]+)$", stream)
        assert exercise and list((ROOT / "solutions").glob(f"*/{exercise[1]}_*"))


def test_workflows_and_hooks_name_files_that_exist():
    named = set()
    for path in [*(ROOT / ".github").rglob("*.yml"), ROOT / ".pre-commit-config.yaml"]:
        named |= set(
            re.findall(r"(?<![\w./])(?:tests|grader|docs|solutions)/[\w./-]+\w", path.read_text())
        )
    assert len(named) > 5
    assert [name for name in sorted(named) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize(
    ("made_in", "anew"),
    [
        ("{here}, Python {version}", False),
        ("/where it was before, Python {version}", True),
        ("{here}, Python 3.9", True),
        (None, False),
    ],
)
def test_packages_that_were_moved_or_are_another_pythons_are_installed_anew(
    tmp_path, made_in, anew
):
    clone = tmp_path / "a clone"
    (clone / ".venv" / "bin").mkdir(parents=True)
    for name in ("Makefile", "pyproject.toml", "requirements.lock"):
        shutil.copy(ROOT / name, clone)
    (clone / ".venv" / "bin" / "python").symlink_to(sys.executable)
    (clone / ".venv" / "installed").touch()
    if made_in is not None:
        version = "{}.{}".format(*sys.version_info[:2])
        (clone / ".venv" / "made-in").write_text(made_in.format(here=clone, version=version) + "\n")
    make = ["make", "-n", ".venv/installed"]
    done = subprocess.run(make, cwd=clone, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert ("making it anew" in done.stdout) == anew, done.stdout


def test_the_package_that_builds_others_is_pinned_too(tmp_path):
    """Without it pip would fetch the newest, unseen by any lock."""
    make = ["make", "-n", "-B", ".venv/installed"]
    told = subprocess.run(make, cwd=ROOT, capture_output=True, text=True).stdout
    (awk,) = (line for line in told.splitlines() if line.startswith("awk"))
    shown = subprocess.run(
        ["sh", "-c", awk.partition(">")[0]], cwd=ROOT, capture_output=True, text=True
    )
    first, *hashes = shown.stdout.splitlines()
    assert first.startswith("setuptools==") and len(hashes) == 2
    assert all(line.strip().startswith("--hash=sha256:") for line in hashes)
    for line in told.splitlines():
        if "pip install" in line and "requirements.lock" in line:
            assert "--no-build-isolation" in line
