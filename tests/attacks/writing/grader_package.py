"""Tries to put a file into the grader's own package, which the next submission uses.

Must be told that it is read-only.
"""

from pathlib import Path

from forms import Program

import grader

CREATE = """
import os
path = given[0] + '/attack'
open(path, 'w').close(); os.unlink(path); harm()
"""
ATTACK = Program(
    CREATE, lambda world: [Path(grader.__file__).parent], refused="Read-only file system"
)
