"""Tries to change its own job: which cells run, which exercises are played.

Must be told that it is read-only.
"""

from forms import Program

from grader.sandbox.sandbox_files import CHECK

ATTACK = Program(
    "open(given[0], 'r+').write('x'); harm()",
    lambda world: [world.job / "JOB.json"],
    inside=lambda world: [CHECK / "JOB.json"],
    refused="Read-only file system",
)
