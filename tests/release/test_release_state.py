"""The version is in one place, and what cannot be released is refused with its fix."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from testkit.lab_processes import ROOT

from grader.authoring.release import release_files
from grader.authoring.release.release_state import demand_ready, git, notes, previous, version_of
from grader.errors import SetupError

CHANGELOG = """# Changelog

## [Unreleased]

## [1.1.0] - 2026-11-02
- A lesson.

## [1.0.0] - 2026-11-01
- All of it.
"""


def run(root: Path, *words: str) -> str:
    own = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    ran = subprocess.run(
        ["git", *own, *words], cwd=root, check=True, capture_output=True, text=True
    )
    return ran.stdout.strip()


def commit(root: Path, version: str, changelog: str) -> str:
    (root / "pyproject.toml").write_text(f'[project]\nversion = "{version}"\n')
    (root / "CHANGELOG.md").write_text(changelog)
    run(root, "add", ".")
    run(root, "commit", "--quiet", "--message", version)
    return run(root, "rev-parse", "HEAD")


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A project with the release 1.0.0, which has a tag, and a commit that is ready to be 1.1.0."""
    run(tmp_path, "init", "--quiet")
    commit(tmp_path, "1.0.0", CHANGELOG.replace("## [1.1.0] - 2026-11-02\n- A lesson.\n\n", ""))
    run(tmp_path, "tag", "v1.0.0")
    commit(tmp_path, "1.1.0", CHANGELOG)
    return tmp_path


def test_a_commit_with_its_section_and_without_a_tag_is_ready(clone: Path) -> None:
    demand_ready(clone)
    assert notes(clone, "1.1.0") == "- A lesson."


def test_a_tagged_commit_can_be_made_again(clone: Path) -> None:
    run(clone, "tag", "v1.1.0")
    demand_ready(clone)


def changes(root: Path) -> None:
    (root / "lesson.md").write_text("not committed")


def has_no_section(root: Path) -> None:
    commit(root, "1.2.0", CHANGELOG)


def has_entries_that_are_unreleased(root: Path) -> None:
    commit(root, "1.1.0", CHANGELOG.replace("[Unreleased]\n", "[Unreleased]\n- A drill.\n"))


def has_the_version_of_a_tag(root: Path) -> None:
    commit(root, "1.0.0", CHANGELOG)


def has_another_tag(root: Path) -> None:
    run(root, "tag", "v1.2.0")


@pytest.mark.parametrize(
    ("fault", "said", "fix"),
    [
        (changes, "There are uncommitted changes: lesson.md.", "Fix: commit them."),
        (has_no_section, "CHANGELOG.md says nothing about 1.2.0", 'Fix: add a section "## [1.2.0] - '),
        (has_entries_that_are_unreleased, "has entries under [Unreleased]", "Fix: move them"),
        (has_the_version_of_a_tag, "The tag v1.0.0 exists", "Fix: raise the version"),
        (has_another_tag, "This commit has the tag v1.2.0", "Fix: git tag --delete v1.2.0"),
    ],
)  # fmt: skip
def test_what_cannot_be_released_is_refused_with_its_fix(
    clone: Path, fault: Callable[[Path], None], said: str, fix: str
) -> None:
    fault(clone)
    with pytest.raises(SetupError) as refused:
        demand_ready(clone)
    (line,) = str(refused.value).splitlines()
    assert said in line and fix in line


def test_a_refusal_ends_the_command_and_writes_nothing(
    clone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    has_another_tag(clone)
    monkeypatch.chdir(clone)
    assert release_files.main() == 1
    assert "Fix: git tag --delete v1.2.0" in capsys.readouterr().err
    assert not (clone / release_files.OUT).exists()


def test_a_folder_that_is_no_clone_is_refused(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "1.0.0"\n')
    with pytest.raises(SetupError, match=r"is not a clone. Fix: "):
        demand_ready(tmp_path)


def test_an_upgrade_begins_at_the_newest_tag_before(clone: Path) -> None:
    first = run(clone, "rev-parse", "v1.0.0")
    assert previous(clone) == (first, f"the newest tag, v1.0.0, commit {first[:10]}")
    run(clone, "tag", "v1.1.0")  # of the release itself
    assert previous(clone)[0] == first


def test_without_a_tag_it_begins_before_the_version_was_added(clone: Path) -> None:
    first = run(clone, "rev-parse", "v1.0.0")
    run(clone, "tag", "--delete", "v1.0.0")
    assert previous(clone)[0] == first
    assert "before 1.1.0 was added to CHANGELOG.md" in previous(clone)[1]


def test_an_upgrade_can_begin_at_any_commit(clone: Path) -> None:
    here = run(clone, "rev-parse", "HEAD")
    assert previous(clone, here[:8]) == (here, f"{here[:8]}, commit {here[:10]}")
    with pytest.raises(SetupError, match=r"This clone has no commit v9. Fix: "):
        previous(clone, "v9")


def test_the_first_commit_has_no_release_before(tmp_path: Path) -> None:
    run(tmp_path, "init", "--quiet")
    commit(tmp_path, "1.1.0", CHANGELOG)
    with pytest.raises(SetupError, match="Fix: name a commit: PREVIOUS=COMMIT"):
        previous(tmp_path)


def test_only_pyproject_names_the_version() -> None:
    """course/ and CHANGELOG.md have it, too: one is generated from it, the other is history."""
    version = version_of(ROOT)
    wanted = rf"(stateful.streams|version|__version__)\W+v?{version}\b"
    where = ("--", ".", ":!course", ":!tests", ":!*.lock*")
    found = git(ROOT, "grep", "--files-with-matches", "--extended-regexp", wanted, *where)
    assert found in ("", "pyproject.toml")  # nothing in a source archive
