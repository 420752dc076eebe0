"""The wheel and the source archive of a release: the same commit gives the same bytes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path


def export(root: Path, commit: str, folder: Path) -> Path:
    """Write the files of a commit into a new folder of this name: nothing else of the clone is there."""
    folder.mkdir(parents=True)
    archive = folder.with_suffix(".tar")
    subprocess.run(["git", "archive", "--output", str(archive), commit], cwd=root, check=True)
    shutil.unpack_archive(archive, folder, filter="data")
    archive.unlink()
    return folder


def build_packages(root: Path, out: Path, seconds: int, *targets: str) -> list[Path]:
    """Build "wheel" and "sdist" (default: both) with the locked backend; the files in `out`.

    `seconds` since 1970 is the time that all files in them get.
    """
    for target in targets or ("wheel", "sdist"):
        subprocess.run(
            [
                sys.executable,
                "-m",
                "hatchling",
                "build",
                "--target",
                target,
                "--directory",
                str(out),
            ],
            cwd=root,
            env={**os.environ, "SOURCE_DATE_EPOCH": str(seconds)},
            check=True,
            capture_output=True,
        )
    return sorted(path for path in out.iterdir() if path.name.endswith((".whl", ".tar.gz")))
