"""Tries to put a file next to the jars that Spark and Kafka start from.

Must be told that it is read-only.
"""

from forms import Program

from grader.runtime.paths import cache_dir

CREATE = """
import os
path = given[0] + '/attack'
open(path, 'w').close(); os.unlink(path); harm()
"""
ATTACK = Program(CREATE, lambda world: [cache_dir() / "jars"], refused="Read-only file system")
