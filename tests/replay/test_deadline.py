"""A play that is not over in time: what its failure says of the time, and of a machine that was busy."""

import math
import subprocess
import sys

import pytest

from grader.judging.wording.failure_text import failure_in_short
from grader.replay.cpu_time import CpuTime
from grader.replay.deadline import Deadline
from grader.replay.failures import Stop

BEGAN = CpuTime(clock=100, ours=20, idle=500, cores=2)


def after(seconds: float, *, ours: float, idle: float) -> dict[str, float]:
    end = CpuTime(BEGAN.clock + seconds, BEGAN.ours + ours, BEGAN.idle + idle, BEGAN.cores)
    return end.shortage_since(BEGAN)


def test_little_cpu_counts_only_where_the_machine_was_busy() -> None:
    assert after(60, ours=8, idle=4) == {"cpu_seconds": 8, "cores": 2}
    assert after(60, ours=1, idle=110) == {}  # it slept, as did the machine
    assert after(60, ours=59, idle=4) == {}  # it was what kept the machine busy
    assert after(60, ours=1, idle=math.inf) == {}  # not known
    assert after(0.1, ours=0, idle=0) == {}  # too short to be seen


def test_the_seconds_of_what_this_process_started_count() -> None:
    """The kernel tells user and system time in full clock ticks, so the child counts its own in them, too."""
    before = CpuTime.now()
    work = "import os\nwhile sum(os.times()[:2]) < 0.5: pass"
    subprocess.run([sys.executable, "-c", work], check=True)
    assert round(CpuTime.now().ours - before.ours, 2) >= 0.5


@pytest.mark.parametrize("shortage", [{}, {"cpu_seconds": 8.2, "cores": 2}])
def test_a_missed_deadline_says_how_long_it_was_and_what_it_lacked(
    monkeypatch: pytest.MonkeyPatch, shortage: dict[str, float]
) -> None:
    monkeypatch.setattr(CpuTime, "shortage_since", lambda *_: shortage)
    with pytest.raises(Stop) as stopped:
        Deadline(0).remaining(step=3)
    assert (stopped.value.failure.kind, stopped.value.failure.step) == ("timeout", 3)
    assert stopped.value.failure.fields == {"seconds": 0, **shortage}
    failure = Deadline(60).missed()
    busy = ". The machine was busy: this play got 8 s of CPU in 60 s" if shortage else ""
    assert failure_in_short(failure) == f"nothing came back within 60 s{busy}"
