"""The kinds of result that are stored, and the code that each depends on: the one place that says so.

A stored result is valid as long as its digest is what the code, the data and the versions give now.
The digest follows the imports of the code that ran or judged (see `CodeGraph`). Modules that only put
findings into words are left out: a proof holds statuses and ids, and no sentence.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from grader.validity.code_graph import CodeGraph

WORDS = ("judging/wording/*",)
LOCKS = ("runtime/jars",)  # versions.py says what counts of them
# a play runs one of the two
_CALLS = "replay/called_kinds.py"
_STREAMS = "replay/stream_kinds.py"
_TABLES = "replay/delta_tables.py"  # only where an input is a table


@dataclass(frozen=True)
class StoredResult:
    """A kind of result: the code that makes it, and the part of that code that it does not depend on."""

    name: str
    roots: tuple[str, ...]
    without: tuple[str, ...] = ()

    def code(self, graph: CodeGraph | None = None) -> str:
        """A digest of its code as it is now; The `graph` is of a different package folder."""
        return (graph or _graph()).digest(self.roots, self.without)


# What one answer did on one scenario, as `grader build` and `grader verify` keep it.
STREAM_PLAY = StoredResult(
    "play of a stream",
    ("replay/replay.py", "runtime/broker.py", "runtime/spark_session.py", "authoring/answer.py"),
    (_CALLS, _TABLES, *LOCKS),
)
TABLE_PLAY = StoredResult("play with tables", STREAM_PLAY.roots, (_CALLS, *LOCKS))
CALLED_PLAY = StoredResult(
    "play of calls",
    ("replay/replay.py", "runtime/spark_session.py", "authoring/answer.py"),
    (_STREAMS, *LOCKS),
)
# What one submission did in its sandbox. It is judged outside, so no criterion counts.
CLASS_RUN = StoredResult(
    "run of a submission",
    ("sandbox/*.py", "sandbox/etc/*", "learner/lesson_query.py"),
    ("judging/*.py", "feedback/**/*.py", *WORDS, *LOCKS),
)
# What solutions and known mistakes do on a class's hidden events.
HIDDEN_DRAW = StoredResult(
    "hidden draw",
    ("classroom/hidden_scenarios.py",),
    ("validity/*.py", *WORDS, *LOCKS),
)
# What `grader verify` showed of an exercise: statuses, and ids of diagnoses.
PROOF = StoredResult(
    "proof",
    ("authoring/proof.py", "authoring/hidden_diagnosis.py"),
    (*WORDS, *LOCKS),
)
PLAYS = (STREAM_PLAY, TABLE_PLAY, CALLED_PLAY)
ALL = (*PLAYS, CLASS_RUN, HIDDEN_DRAW, PROOF)


def code_imported_by(texts: list[str]) -> str:
    """A digest of the package's code that an exercise's or a learner's own code imports; empty for none."""
    return _graph().upstream_digest(texts, (*WORDS, *LOCKS))


@lru_cache(maxsize=1)
def _graph() -> CodeGraph:
    return CodeGraph()
