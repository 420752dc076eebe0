"""What hostile code tries: small programs, run by plain Python without the sandbox and in it.

Each says "tried" first, and "harm" if it got what it wanted; its arguments are in `given`.
"""

import sys
from typing import Any

READ = "open(given[0], 'rb').read(1); harm()"
WRITE = "open(given[0], 'a').write('x'); harm()"
CREATE = "import os; path = given[0] + '/attack'; open(path, 'w').close(); os.unlink(path); harm()"
LINK = (
    "import os; os.link(given[0], given[1] + '/stolen'); open(given[1] + '/stolen').read(1); harm()"
)

ENVIRONMENT = """
import glob
for path in glob.glob('/proc/*/environ'):
    try:
        if (given[0] + given[1]).encode() in open(path, 'rb').read():
            harm()
    except OSError:
        pass
"""
SEE_PROCESS = ENVIRONMENT.replace("environ", "cmdline")
KILL = "import os; os.kill(int(given[0]), 9); harm()"
KILL_ALL = "import os; os.kill(-1, 9)"
CONNECT = "import socket; socket.create_connection((given[0], int(given[1])), 3); harm()"
ROUTE = """
import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as far:
    far.connect((given[0], 9))
harm()
"""
UNIX = """
import socket
with socket.socket(socket.AF_UNIX) as door:
    door.connect(given[0].replace('@', chr(0)))
harm()
"""
FAMILY = "import socket; socket.socket(int(given[0]), int(given[1])).close(); harm()"
SYSTEM_SETTING = """
text = open(given[0]).read()
open(given[0], 'w').write(text)
harm()
"""
FILL = """
with open(given[0] + '/filling', 'wb') as file:
    for _ in range(int(given[1])):
        file.write(bytes(1 << 20)); file.flush()
harm()
"""
ROOM = """
import os, tempfile
for line in open('/proc/self/mountinfo'):
    place = line.split()[4]
    if os.path.isdir(place):
        try:
            tempfile.TemporaryFile(dir=place).close()
        except OSError:
            continue
        about = os.statvfs(place)
        if about.f_blocks * about.f_frsize > int(given[0]) << 20:
            harm(); break
"""
SAY_MUCH = """
import os
for _ in range(int(given[0])):
    os.write(1, b'x' * (1 << 20))
"""
TAKE_MEMORY = "taken = bytes(int(given[0]) << 20); harm()"
TAKE_MEMORY_TOGETHER = """
import os, time
for _ in range(int(given[0])):
    if os.fork() == 0:
        taken = b'x' * (int(given[1]) << 20); time.sleep(3); os._exit(0)
time.sleep(1.5)
harm()
"""
HIDE_MEMORY = """
import os
file = os.memfd_create('hidden')
for _ in range(int(given[0])):
    os.write(file, bytes(1 << 20))
harm()
"""
SHARE_MEMORY = """
import ctypes
if ctypes.CDLL(None).shmget(0, 1 << 20, 0o1600) >= 0:
    harm()
"""
FORK = """
import os, time
for _ in range(int(given[0])):
    if os.fork() == 0:
        time.sleep(3); os._exit(0)
time.sleep(1)
harm()
"""
THREADS = """
import threading, time
for _ in range(int(given[0])):
    threading.Thread(target=time.sleep, args=[3], daemon=True).start()
time.sleep(1)
harm()
import os; os._exit(0)
"""
OPEN = "held = [open('/dev/null') for _ in range(int(given[0]))]; harm()"
BURN = """
import time
while time.process_time() < float(given[0]):
    pass
harm()
"""
NAMESPACE = """
import ctypes
if ctypes.CDLL(None).unshare(0x10000000) == 0:
    harm()
"""
# by another door than `unshare`: a child that begins in a namespace of its own
CHILD_IN_NAMESPACE = """
import ctypes, os
clone = {'x86_64': 56, 'aarch64': 220}[os.uname().machine]
child = ctypes.CDLL(None).syscall(clone, 0x10000000 | 17, 0, 0, 0, 0)
if child == 0:
    os._exit(0)
if child > 0:
    harm()
"""
DAEMON = """
import os, signal, time
if os.fork() == 0:
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, signal.SIG_IGN)
    if os.fork() == 0:
        time.sleep(1)
        open(given[0], 'a').write('harm')
    os._exit(0)
"""
BEAT = """
import time
while True:
    open(given[0], 'a').write('x'); time.sleep(0.05)
"""
CHANGE_LIMITS = """
import resource
resource.setrlimit(resource.RLIMIT_NOFILE, (int(given[0]), int(given[0])))
harm()
"""
REPLACE = "import os; os.unlink(given[0]); os.symlink('/etc/passwd', given[0]); harm()"
SETUID = "import os; os.setuid(int(given[0])); harm()"

# no attack: all that a runner needs before it starts anything
NEEDED = """
import getpass, socket
import grader.classroom.runner
from grader.learner.lab import events, fresh_checkpoint
from grader.runtime.jars import missing_jars
from grader.runtime.java import find_java
from grader.runtime.paths import log_dir
from grader.runtime.session import session_settings
from grader.runtime.setup import start_ups
print([(each.kind, each.misfit()) for each in start_ups(find_java())])
print(session_settings()['spark.local.dir'], fresh_checkpoint(), log_dir())
print(getpass.getuser(), socket.gethostbyname(socket.gethostname()), len(events('page_clicks')) > 0)
print('missing', [*missing_jars('broker'), *missing_jars('connector')])
"""

WRAPPED = """
import sys
given = sys.argv[1:]
def harm():
    print('harm', flush=True)
print('tried', flush=True)
try:
    exec({code!r})
except (OSError, MemoryError, RuntimeError, ValueError, AttributeError) as refused:
    print(type(refused).__name__, refused, flush=True)
"""


def program(code: str, *words: Any) -> list[str]:
    """The command that runs Python code with the grader's own Python."""
    return [sys.executable, "-I", "-S", "-c", code, *map(str, words)]
