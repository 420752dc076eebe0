"""Tries to set the program that the kernel runs, as root, when a process crashes.

Must be told that it is read-only. Otherwise a sandbox that root started could write there, whatever
capabilities were dropped.
"""

from forms import Program

SET = """
text = open(given[0]).read()
open(given[0], 'w').write(text)
harm()
"""
ATTACK = Program(
    SET, lambda world: ["/proc/sys/kernel/core_pattern"], refused="Read-only file system"
)
