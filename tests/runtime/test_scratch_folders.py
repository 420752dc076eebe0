"""Temporary folders go with their owner."""

import os
import time

from testkit.lab_processes import start_python

from grader.runtime import scratch_folders
from grader.runtime.scratch_folders import make_scratch, remove_scratch

OWNER = """
import sys
from grader.runtime.scratch_folders import make_scratch
print(make_scratch("test"), flush=True)
sys.stdin.readline()
"""


def make_old(folder):
    past = time.time() - scratch_folders.YOUNG_SECONDS - 1
    os.utime(folder, (past, past))


def test_a_folder_goes_when_its_owner_ends(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    owner = start_python(OWNER)
    folder = owner.stdout.readline().strip()
    assert os.path.isdir(folder)
    owner.communicate("done\n")
    assert not os.path.exists(folder)


def test_the_folder_of_a_killed_owner_goes_with_the_next_call_but_not_a_living_ones(
    tmp_path, monkeypatch
):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    killed, living = start_python(OWNER), start_python(OWNER)
    left, used = killed.stdout.readline().strip(), living.stdout.readline().strip()
    killed.kill()
    killed.communicate()
    make_old(left)
    make_old(used)
    remove_scratch(make_scratch("test"))
    assert not os.path.exists(left)
    assert os.path.exists(used)
    living.communicate("done\n")
