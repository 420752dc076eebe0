"""The semantics of Spark Structured Streaming (4.2, micro-batch) in plain Python.

`run(query, scenario)` makes the Recording that replay makes by Spark; see docs/model.md.
"""

from grader.model.run import Played, play, run
from grader.model.unsupported import NotModelled, Refused

__all__ = ["NotModelled", "Played", "Refused", "play", "run"]
