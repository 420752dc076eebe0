"""Every name that a lesson uses is there: a package may be renamed, and a notebook is not imported by any module."""

import re
from pathlib import Path

from mypy import api

ROOT = Path(__file__).resolve().parents[2]
FAULTS = ("attr-defined", "call-arg", "import-not-found", "name-defined")
# what mypy does not know of py4j's exceptions
KNOWN = ['"Exception" has no attribute "_stackTrace"']


def faults_of(texts: dict[str, str], folder: Path) -> list[str]:
    """What mypy finds in lessons by name that ends them with an AttributeError, a NameError or the like."""
    for name, text in texts.items():
        (folder / f"lesson_{name}.py").write_text(text, encoding="utf-8")
    said, failed, _ = api.run(
        ["--config-file", str(ROOT / "pyproject.toml"), "--no-error-summary", str(folder)]
    )
    assert not failed, failed
    codes = re.compile(rf"\[({'|'.join(FAULTS)})\]$")
    return [
        line
        for line in said.splitlines()
        if codes.search(line) and not any(known in line for known in KNOWN)
    ]


def test_every_name_in_a_lesson_is_there(tmp_path: Path) -> None:
    paths = sorted((ROOT / "solutions").glob("*/lesson.py"))
    assert len(paths) >= 17
    texts = {path.parent.name: path.read_text(encoding="utf-8") for path in paths}
    assert faults_of(texts, tmp_path) == []


def test_a_name_that_is_gone_is_found(tmp_path: Path) -> None:
    text = (
        "from grader.capstone.outcome import Outcome\n\n\ndef f(live: Outcome) -> None:\n    {}\n"
    )
    (fault,) = faults_of(
        {"one": text.format("live.told()"), "two": text.format("live.text()")}, tmp_path
    )
    assert 'lesson_one.py:5: error: "Outcome" has no attribute "told"' in fault
