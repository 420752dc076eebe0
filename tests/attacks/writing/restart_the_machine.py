"""Tries to open the file by which root restarts the machine at once: /proc/sysrq-trigger.

Must be refused.
"""

from forms import Program

ATTACK = Program(
    "open('/proc/sysrq-trigger', 'w').close(); harm()",
    refused="Read-only file system|Permission denied",
)
