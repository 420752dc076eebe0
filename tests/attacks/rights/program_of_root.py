"""Tries to get rights by a program that gives them (setuid), as `su` and `mount` are.

Must be told by the kernel that no program can: it was started so (no_new_privs), with no rights at all.
"""

from forms import Program

LOOK = """
lines = dict(line.split(':', 1) for line in open('/proc/self/status'))
print(lines['NoNewPrivs'].strip(), int(lines['CapEff'], 16), int(lines['CapBnd'], 16))
if lines['NoNewPrivs'].strip() == '0' or int(lines['CapEff'], 16):
    harm()
"""
ATTACK = Program(LOOK, refused="^1 0 |\n1 0 ")
