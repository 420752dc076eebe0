"""Tries to lift the limits that it was started with.

Must be told that it may not: they were set before it started.
"""

from forms import Program

from grader.sandbox.resource_limits import Limits

LIFT = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 1024))
harm()
"""
ATTACK = Program(LIFT, refused="not allowed", limits=Limits(open_files=64))
