"""Tries to go on recording after the supervisor was killed, when nothing else can end it.

Must end at once: the kernel ends a sandbox with its parent.
"""

import subprocess
import sys
import time

from forms import Program
from programs import command
from world import World, wait_for

BEAT = """
import time
while True:
    open(given[0], 'a').write('x'); time.sleep(0.05)
"""
# a supervisor of its own, for it is killed
SUPERVISOR = """
import json, sys
sys.path[:0] = json.loads(sys.argv[1])
from pathlib import Path
from grader.sandbox import bwrap_sandbox
job = Path(sys.argv[2])
with open(job / 'log', 'wb') as log:
    running = bwrap_sandbox.start(sys.argv[3:], job=job, writable=['answer'], log=log)
running.process.wait()
"""


def goes_on(world: World, _: str) -> bool:
    import json

    words = [json.dumps(sys.path), str(world.job), *command(BEAT, world.answer_inside)]
    supervisor = subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR, *words], start_new_session=True
    )
    try:
        assert wait_for(lambda: world.answer.stat().st_size > 2, 30)
    finally:
        supervisor.kill()
        supervisor.wait()
    time.sleep(0.3)
    size = world.answer.stat().st_size
    time.sleep(0.5)
    return world.answer.stat().st_size > size


ATTACK = Program("", outside=False, harmed=goes_on)
