"""Tries to kill the process that judges it.

Must reach no process but those of its own sandbox.
"""

from forms import Program

ATTACK = Program(
    "import os; os.kill(int(given[0]), 9); harm()",
    lambda world: [world.process().pid],
    refused="No such process",
)
