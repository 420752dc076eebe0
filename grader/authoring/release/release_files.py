"""The files of a release, in build/release: packages, the students' zip, the site, bill of materials, notes, hashes.

    python -m grader.authoring.release.release_files

makes them; `make release` also tries them.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from grader.authoring.release.bill_of_materials import bill_of_materials, demand_valid
from grader.authoring.release.packages import build_packages, export
from grader.authoring.release.release_state import demand_ready, git, notes, version_of
from grader.errors import SetupError
from grader.runtime.jars import sha256

OUT = Path("build", "release")
NOTES = "release-notes.md"
SUMS = "SHA256SUMS"
_GRADER = (sys.executable, "-m", "grader")


def make_release(root: Path, out: Path) -> None:
    """Write all files of the release into `out`, which is emptied first.

    Raises SetupError with the fix if this commit cannot be released.
    """
    demand_ready(root)
    version, seconds = version_of(root), int(git(root, "log", "-1", "--format=%ct"))
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as scratch:
        build_packages(export(root, "HEAD", Path(scratch, "tree")), out, seconds)
    name = f"stateful-streams-{version}"
    _grader(root, "bundle", "--students", str(out / f"{name}-students.zip"))
    with tempfile.TemporaryDirectory() as scratch:
        _grader(root, "site", "--check", "--out", str(Path(scratch, "site")))
        shutil.make_archive(str(out / f"{name}-site"), "zip", scratch, "site")
    bill = bill_of_materials(root, seconds)
    demand_valid(bill)
    (out / f"{name}.cdx.json").write_text(bill, encoding="utf-8")
    (out / NOTES).write_text(notes(root, version) + "\n", encoding="utf-8")
    sums = [f"{sha256(path)}  {path.name}\n" for path in sorted(out.iterdir())]
    (out / SUMS).write_text("".join(sums), encoding="utf-8")


def _grader(root: Path, *words: str) -> None:
    if subprocess.run([*_GRADER, *words], cwd=root).returncode != 0:
        raise SetupError(f"grader {words[0]} has failed, and says why above.")


def main() -> int:
    """Make the release of the project in this folder; the exit code."""
    root = Path.cwd()
    try:
        make_release(root, root / OUT)
    except SetupError as error:
        print(error, file=sys.stderr)
        return 1
    for path in sorted((root / OUT).iterdir()):
        print(f"{path.stat().st_size:>12,}  {path.relative_to(root)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
