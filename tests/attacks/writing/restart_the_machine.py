"""Tries to open the switch by which root restarts the machine at once: /proc/sysrq-trigger.

Must not be let in.
"""

from forms import Program

ATTACK = Program(
    "open('/proc/sysrq-trigger', 'w').close(); harm()",
    refused="Read-only file system|Permission denied",
)
