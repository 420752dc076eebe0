"""Tries to read the memory of another process, which holds a secret, by /proc/PID/mem.

Must find no such process: the machine's processes are not in its /proc.
"""

from forms import Program

LOOK = """
for line in open(f'/proc/{given[0]}/maps'):
    if '[heap]' in line or ' rw-p ' in line:
        first, last = (int(part, 16) for part in line.split()[0].split('-'))
        with open(f'/proc/{given[0]}/mem', 'rb') as memory:
            memory.seek(first)
            if memory.read(min(last - first, 1 << 24)):
                harm(); break
"""
ATTACK = Program(LOOK, lambda world: [world.process().pid], refused="No such file")
