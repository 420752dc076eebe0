"""Tries to put a file into the folder of Python's packages, which the next submission uses.

Must be told that it is read-only.
"""

import sys

from forms import Program

CREATE = """
import os
path = given[0] + '/attack'
open(path, 'w').close(); os.unlink(path); harm()
"""
ATTACK = Program(CREATE, lambda world: [sys.prefix], refused="Read-only file system")
