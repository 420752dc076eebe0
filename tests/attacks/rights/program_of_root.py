"""Tries to get rights from a program that gives them (setuid), such as `su` and `mount`.

Must be told by the kernel that no program can: it was started without any rights, and with
no_new_privs.
"""

from forms import Program

LOOK = """
lines = dict(line.split(':', 1) for line in open('/proc/self/status'))
print(lines['NoNewPrivs'].strip(), int(lines['CapEff'], 16), int(lines['CapBnd'], 16))
if lines['NoNewPrivs'].strip() == '0' or int(lines['CapEff'], 16):
    harm()
"""
ATTACK = Program(LOOK, refused="^1 0 |\n1 0 ")
