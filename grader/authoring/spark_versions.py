"""What the exercises showed on other versions of Spark, and the table of docs/versions.md that is made of it.

`python -m grader.authoring.spark_versions` writes the table. The runs are in docs/versions.json, by version and exercise.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable
from importlib.metadata import requires, version
from pathlib import Path
from typing import Any

from grader.authoring.play_store import own_lab
from grader.authoring.proof import Proof
from grader.scenario import place_of

DOCS = Path(__file__).resolve().parents[2] / "docs"
RUNS = DOCS / "versions.json"
PAGE = DOCS / "versions.md"
TABLE = re.compile(r"(?<=<!-- runs -->\n).*?(?=<!-- end -->)", re.S)

Run = dict[str, dict[str, Any]]


def own_version() -> str:
    """The version of PySpark that the course is made for, and that its proofs are of."""
    (wanted,) = [
        text for text in requires("stateful-streams") or [] if text.startswith("pyspark==")
    ]
    return wanted.partition("==")[2]


def on_own_version() -> bool:
    """Whether the installed PySpark is the one that the course is made for."""
    return version("pyspark") == own_version()


def proofs_are_kept() -> bool:
    """Whether proofs are written: on the lab's own Spark and Kafka, of the version that the course is made for."""
    return own_lab() and on_own_version()


def keep_run(proofs: Iterable[Proof]) -> None:
    """Note what the proofs showed on the installed PySpark; other exercises and versions stay as they are."""
    kept = runs()
    kept.setdefault(version("pyspark"), {}).update({proof.id: _outcome(proof) for proof in proofs})
    RUNS.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def runs() -> dict[str, Run]:
    """What was noted so far, by version of PySpark."""
    found: dict[str, Run] = json.loads(RUNS.read_text("utf-8")) if RUNS.exists() else {}
    return found


def _outcome(proof: Proof) -> dict[str, Any]:
    if proof.solution is None:
        why = " ".join(proof.faults).replace(f"{DOCS.parent}{os.sep}", "")
        why = re.sub(r" \(\S+site-packages\S+\)", "", why)
        return {"solution": "does not run", "why": why}
    failed = [c.message for c in proof.solution.criteria if not c.passed]
    mistakes = proof.misconceptions
    return {
        "solution": proof.solution.status,
        "why": failed[0].partition("\n")[0] if failed else "",
        "mistakes": len(mistakes),
        "passed": [id for id, verdict in mistakes.items() if verdict.passed],
        "not_named": [id for id in mistakes if not proof.diagnosed(id)],
        "equivalents_failed": [id for id, v in proof.equivalents.items() if not v.passed],
    }


def table(kept: dict[str, Run]) -> str:
    """For each version, how many exercises gave the same as on the course's own, and a row for each other one."""
    parts = []
    for name, run in sorted(kept.items()):
        said = {id: said_of(run[id]) for id in sorted(run, key=place_of)}
        rows = [f"| **{id}** | {what} |" for id, what in said.items() if what]
        same = (
            f"On Spark {name}, {len(run) - len(rows)} of the {len(run)} exercises that were played "
            f"show the same as on {own_version()}."
        )
        head = ["", "| exercise | what differs |", "| --- | --- |"] if rows else []
        parts.append("\n".join([same, *head, *rows, ""]))
    return "\n".join(parts) or "No run has been noted yet.\n"


def said_of(found: dict[str, Any]) -> str:
    """In what way an exercise differs; empty if it does not."""
    if found["solution"] == "does not run":
        return _one_line(found["why"])
    if found["solution"] != "passed":
        return f"its solution gets “{found['solution']}”: {_one_line(found['why'])}"
    said = [
        (found["equivalents_failed"], "right answers that do not pass"),
        (found["passed"], "mistakes that pass"),
        (found["not_named"], "mistakes without a name"),
    ]
    return "; ".join(f"{what}: {', '.join(f'`{id}`' for id in ids)}" for ids, what in said if ids)


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")[:300]


def page() -> str:
    """docs/versions.md with the table of the runs as they are now."""
    return TABLE.sub(lambda _: table(runs()), PAGE.read_text("utf-8"))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
