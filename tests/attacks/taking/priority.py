"""Tries to get priority over all others: the judge, the watch, the submission next to it.

Must be told that it may not.
"""

from forms import Program

ATTACK = Program(
    "import os; before = os.nice(0); os.nice(-10); os.nice(0) < before and harm()",
    refused="not permitted|Permission denied",
)
