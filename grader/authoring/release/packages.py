"""The wheel and the source archive of a release: the same commit gives the same bytes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


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
            stdout=subprocess.DEVNULL,
        )
    return sorted(path for path in out.iterdir() if path.name.endswith((".whl", ".tar.gz")))
