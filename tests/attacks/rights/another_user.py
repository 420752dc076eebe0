"""Tries to become another user.

Must be told that there is none: the sandbox has one user, without rights.
"""

import os

from forms import Program

ATTACK = Program(
    "import os; os.setuid(int(given[0])); harm()",
    lambda world: [2 if os.getuid() == 0 else 0],
    refused="Invalid argument|not permitted",
)
