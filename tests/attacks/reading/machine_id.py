"""Tries to read the number that the machine is known by.

Must find no such file: /etc of a sandbox holds a loader's cache and four small files of our own.
"""

from forms import Program

ATTACK = Program(
    "open(given[0]).read(1); harm()", lambda world: ["/etc/machine-id"], refused="No such file"
)
