"""Tries to read the right answers to hidden events, where the judge keeps them.

Must find no such file: of the caches only jars, start-up archives and Node packages are visible.
"""

from forms import Program

from grader.runtime.paths import cache_dir

ATTACK = Program(
    "open(given[0]).read(1); harm()",
    lambda world: [world.file(cache_dir() / "hidden" / f"{world.name}.json")],
    refused="No such file",
)
