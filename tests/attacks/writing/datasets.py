"""Tries to put a file into datasets/, which every submission reads.

Must be told that it is read-only.
"""

from forms import Program
from world import PROJECT

CREATE = """
import os
path = given[0] + '/attack'
open(path, 'w').close(); os.unlink(path); harm()
"""
ATTACK = Program(CREATE, lambda world: [PROJECT / "datasets"], refused="Read-only file system")
