"""Plays that are kept on disk: a play runs once and is judged often."""

from __future__ import annotations

import contextlib
import gc
import gzip
import json
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from grader.authoring.answer import Answer
from grader.authoring.lesson_source import ExerciseSource
from grader.authoring.open_state_stores import has_many
from grader.authoring.proof import Bench, Player, open_bench, shows_state
from grader.judging.failure_status import is_the_machines
from grader.runtime.cluster import given_settings, spark_master
from grader.runtime.paths import cache_dir
from grader.runtime.spark_internals.default_session import default_session_kept
from grader.runtime.spark_internals.session_internals import unload_state_stores
from grader.scenario import Variant
from grader.scenario.recording import Failure, Recording
from grader.validity.digest import digest_of
from grader.validity.exercise_parts import events_part, kind_of_play, played_part
from grader.validity.python_code import code_of
from grader.validity.stored_results import PLAYS, code_imported_by
from grader.validity.versions import installed_versions

SIDE_BY_SIDE = 3  # exercises played at a time: the streams of one leave half of two cores idle
LARGEST = 300_000_000  # bytes on disk of all kept plays
COLLECT_AFTER = 10  # plays: what Python has not collected keeps Spark's sessions in Java, 1 MB each

Item = TypeVar("Item")
Result = TypeVar("Result")


class Stopped(Exception):
    """A play that was not begun, or has no result, because the command is being stopped."""


class KeptPlays:
    """A player that plays each answer once: its recording is kept in `folder` and taken from there.

    The function `start` gives the player for what is not there; it is called when it is first needed.
    With `fresh`, nothing is taken that an earlier process has kept. Without a folder nothing is kept.
    Every result has gone through JSON, so a kept recording equals a fresh one.
    """

    def __init__(self, start: Callable[[], Player], folder: Path | None, *, fresh: bool = False):
        self._start = start
        self._folder = folder
        self._fresh = fresh
        self._new: set[str] = set()  # keys that this process has played
        self._player: Player | None = None
        self._lock = threading.Lock()
        self._turn = threading.Condition(self._lock)
        self._running = 0  # plays at this moment
        self._unloading = False  # no play begins meanwhile
        self._stopped = threading.Event()
        self.played = self.taken = 0  # recordings so far, made now and by earlier processes
        machine = _machine() if folder is not None else []
        self._circumstances = {kind: [kind.code(), *machine] for kind in PLAYS}

    def record(
        self,
        source: ExerciseSource,
        answer: Answer,
        variant: Variant,
        *,
        as_expected: bool = False,
    ) -> Recording:
        """The recording of one play; with `as_expected`, it is the one that answers are compared with.

        That recording is kept apart, because otherwise the solution would be compared with itself.
        """
        if self._folder is None:
            return _through_json(self._play(source, answer, variant))
        around = self._circumstances[kind_of_play(source.exercise)]
        key = digest_of([*_key(source, answer, variant, as_expected), *around])
        path = self._folder / f"{key}.json.gz"
        kept = _read(path) if key in self._new or not self._fresh else None
        if kept is not None:
            with self._lock:
                self.taken += key not in self._new
            return kept
        recording = _through_json(self._play(source, answer, variant))
        if _lasts(recording.failure):
            _write(path, recording)
            self._new.add(key)
        return recording

    def counts(self) -> str:
        """How much was played, for the person at the terminal."""
        return f"{self.played} plays; {self.taken} more were played before and taken from disk"

    def stop(self) -> None:
        """Begin no other play, and keep none of those that run: their lab is about to end."""
        self._stopped.set()

    def prune(self, largest: int = LARGEST) -> None:
        """Delete the plays whose last use is longest ago, until `largest` bytes are left."""
        if self._folder is None or not self._folder.is_dir():
            return
        kept: list[tuple[float, int, Path]] = []
        for path in self._folder.iterdir():
            with contextlib.suppress(FileNotFoundError):  # another process is at work
                about = path.stat()
                kept.append((about.st_mtime, about.st_blocks * 512, path))
        too_much = sum(size for _, size, _ in kept) - largest
        for _, size, path in sorted(kept):
            if too_much <= 0:
                return
            path.unlink(missing_ok=True)
            too_much -= size

    def _play(self, source: ExerciseSource, answer: Answer, variant: Variant) -> Recording:
        with self._turn:
            self._turn.wait_for(lambda: not self._unloading)
            self._demand_going_on()
            self._player = self._player or self._start()
            self._running += 1
        try:
            recording = self._player.record(source, answer, variant)
        finally:
            with self._turn:
                self._running -= 1
                self._turn.notify_all()
        with self._lock:
            self._demand_going_on()
            self.played += 1
            collect = self.played % COLLECT_AFTER == 0
        if collect:
            gc.collect()
        self._let_go_of_files()
        return recording

    def _let_go_of_files(self) -> None:
        """Close the state stores of plays that are over when no play runs, if there are many."""
        if not isinstance(self._player, Bench) or not has_many(self._player.spark):
            return
        with self._turn:
            if self._unloading:
                return
            self._unloading = True
            try:
                self._turn.wait_for(lambda: self._running == 0)
                unload_state_stores(self._player.spark)
            finally:
                self._unloading = False
                self._turn.notify_all()

    def _demand_going_on(self) -> None:
        if self._stopped.is_set():
            raise Stopped


@contextmanager
def open_plays(*, fresh: bool = False) -> Iterator[KeptPlays]:
    """The plays kept on this machine, and a lab that starts when one is missing."""
    with ExitStack() as stack:

        def start() -> Bench:
            return stack.enter_context(open_bench())

        plays = KeptPlays(start, cache_dir() / "plays" if own_lab() else None, fresh=fresh)
        stack.callback(plays.prune)
        yield plays


@contextmanager
def play_pool() -> Iterator[ThreadPoolExecutor]:
    """Threads for plays side by side; after them Spark hands out the same session as before."""
    with default_session_kept(), ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        yield pool


def side_by_side(
    plays: KeptPlays, work: Callable[[Item], Result], items: list[Item]
) -> list[Result]:
    """Do the work on some items at a time; after an error, or Ctrl-C, no other play is begun."""
    with play_pool() as pool:
        try:
            return list(pool.map(work, items))
        except BaseException:
            plays.stop()
            raise


def _lasts(failure: Failure | None) -> bool:
    """Whether a failure is the answer's own; a loaded machine causes others."""
    if failure is None:
        return True
    return failure.kind != "timeout" and not is_the_machines(failure)


def own_lab() -> bool:
    """Whether Spark and Kafka are the lab's own on this machine: others keep no plays and no proofs."""
    local = spark_master().startswith("local")
    return local and not given_settings() and not os.environ.get("GRADER_KAFKA")


def _key(source: ExerciseSource, answer: Answer, variant: Variant, as_expected: bool) -> list[str]:
    """What distinguishes plays in the same circumstances."""
    subject = source.subject.text if source.subject else ""
    held: dict[str, Any] = {
        "exercise": played_part(source.exercise),
        "answer": [code_of(answer.text), answer.name],
        "subject": code_of(subject),
        "imported": code_imported_by([answer.text, subject]),
        "variant": [variant.name, variant.crash_after, variant.conf],
        "events": events_part(variant.scenario),
        "as_expected": as_expected,
        "state": shows_state(source),
    }
    return [json.dumps(held, sort_keys=True)]


def _machine() -> list[str]:
    """What all plays on this machine rest on: versions, Java, cores."""
    return [*installed_versions(), f"{spark_master()} on {os.cpu_count()} cores"]


def _through_json(recording: Recording) -> Recording:
    return Recording.from_dict(json.loads(json.dumps(recording.to_dict())))


def _read(path: Path) -> Recording | None:
    try:
        data = json.loads(gzip.decompress(path.read_bytes()))
        recording = Recording.from_dict(data)
        os.utime(path)  # its last use
    except (OSError, EOFError, ValueError, KeyError, TypeError):
        return None  # not there, or damaged: played again
    return recording


def _write(path: Path, recording: Recording) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.{os.getpid()}-{threading.get_ident()}")
    try:
        new.write_bytes(gzip.compress(json.dumps(recording.to_dict()).encode()))
        os.replace(new, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            new.unlink()
