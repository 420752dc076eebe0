"""Tries to read the machine's passwords.

Must find no such file: /etc of a sandbox holds a loader's cache and four small files of its own.
"""

from forms import Program

ATTACK = Program(
    "open(given[0]).read(1); harm()", lambda world: ["/etc/shadow"], refused="No such file"
)
