"""Tries to fill the disk through /tmp.

Must be told that no space is left: /tmp is memory of a fixed size (1 GB; here 16 MB).
"""

from forms import Program

from grader.sandbox.resource_limits import Limits

FILL = """
with open(given[0] + '/filling', 'wb') as file:
    for _ in range(24):
        file.write(bytes(1 << 20)); file.flush()
harm()
"""
ATTACK = Program(
    FILL,
    lambda world: [world.root],
    inside=lambda world: ["/tmp"],
    refused="No space left",
    limits=Limits(tmp_mb=16),
)
