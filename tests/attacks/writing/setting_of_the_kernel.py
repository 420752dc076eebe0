"""Tries to set the program that the kernel runs, as root, when a process crashes.

Must be told that it is read-only. Without that a sandbox that root started can write there, whatever
rights were given up.
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
