"""The semantics of Spark Structured Streaming (4.2, micro-batch) in plain Python.

`run(query, scenario)` makes the Recording that replay makes by Spark; see docs/model.md.
"""

from grader.model.errors import NotModelled, Refused
from grader.model.run import Played, play, run

__all__ = ["NotModelled", "Played", "Refused", "play", "run"]
