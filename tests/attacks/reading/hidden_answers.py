"""Tries to read what the right answers to hidden events are, where the judge keeps them.

Must find no such file: of the caches only jars, start-up archives and Node packages are in sight.
"""

from forms import Program

from grader.runtime.paths import cache_dir

ATTACK = Program(
    "open(given[0]).read(1); harm()",
    lambda world: [world.file(cache_dir() / "hidden" / f"{world.name}.json")],
    refused="No such file",
)
