"""Tries to list who has an account on the machine.

Must see two names, root and learner, from a list of its own.
"""

from forms import Program

ATTACK = Program(
    "names = {line.split(':')[0] for line in open('/etc/passwd')}\n"
    "print(sorted(names)); names <= {'root', 'learner'} or harm()",
    refused=r"\['learner', 'root'\]",
)
