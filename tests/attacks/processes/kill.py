"""Tries to kill the process that judges it.

Must reach only the processes of its own sandbox.
"""

from forms import Program

ATTACK = Program(
    "import os; os.kill(int(given[0]), 9); harm()",
    lambda world: [world.process().pid],
    refused="No such process",
)
