"""The login watch that the tests are for, and eight of the same name with a planted bug each."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming import StatefulProcessor, StatefulProcessorHandle

TEN_MINUTES = 10 * 60 * 1000


class LoginWatch(StatefulProcessor):  # type: ignore[misc]
    """Tells once of three failures in a row; ten minutes after the last one all is forgotten."""

    def init(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.failures = handle.getValueState("failures", "count INT, timer LONG")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        count, timer = self.failures.get() or (0, 0)
        for attempt in rows:
            if timer:
                self.handle.deleteTimer(timer)
                timer = 0
            if attempt.ok:
                count = 0
                continue
            count += 1
            timer = attempt.ms + TEN_MINUTES
            self.handle.registerTimer(timer)
            if count == 3:
                yield Row(customer=key[0], ms=attempt.ms)
        if count:
            self.failures.update((count, timer))
        else:
            self.failures.clear()

    def handleExpiredTimer(
        self, key: Any, timerValues: Any, expiredTimerInfo: Any
    ) -> Iterator[Row]:
        self.failures.clear()
        return iter([])


class _AllCustomers(LoginWatch):
    def init(self, handle: StatefulProcessorHandle) -> None:
        LoginWatch.init(self, handle)
        self.count, self.timer = 0, 0

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        for attempt in rows:
            if self.timer:
                self.handle.deleteTimer(self.timer)
                self.timer = 0
            if attempt.ok:
                self.count = 0
                continue
            self.count += 1
            self.timer = attempt.ms + TEN_MINUTES
            self.handle.registerTimer(self.timer)
            if self.count == 3:
                yield Row(customer=key[0], ms=attempt.ms)

    def handleExpiredTimer(
        self, key: Any, timerValues: Any, expiredTimerInfo: Any
    ) -> Iterator[Row]:
        self.count, self.timer = 0, 0
        return iter([])


class _FirstRow(LoginWatch):
    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        return LoginWatch.handleInputRows(self, key, iter(list(rows)[:1]), timerValues)


class _Forgets(LoginWatch):
    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        yield from LoginWatch.handleInputRows(self, key, rows, timerValues)
        self.failures.clear()


class _NoReset(LoginWatch):
    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        failed = [attempt for attempt in rows if not attempt.ok]
        return LoginWatch.handleInputRows(self, key, iter(failed), timerValues)


class _TellsAgain(LoginWatch):
    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        for attempt in list(rows):
            count, _ = self.failures.get() or (0, 0)
            told = list(LoginWatch.handleInputRows(self, key, iter([attempt]), timerValues))
            if count >= 3 and not attempt.ok:
                told = [Row(customer=key[0], ms=attempt.ms)]
            yield from told


class _Deaf:
    """A handle that registers timers and deletes none, or only some."""

    def __init__(self, handle: StatefulProcessorHandle):
        self._handle = handle

    def __getattr__(self, name: str) -> Any:
        return getattr(self._handle, name)

    def deleteTimer(self, expiryTimestampMs: int) -> None:
        pass


class _OldTimersStay(LoginWatch):
    """A failure leaves the timer of the failure before; a success deletes it."""

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        handle = self.handle
        for attempt in list(rows):
            self.handle = handle if attempt.ok else _Deaf(handle)
            yield from LoginWatch.handleInputRows(self, key, iter([attempt]), timerValues)
        self.handle = handle


class _SuccessLeavesTimer(LoginWatch):
    """A success leaves the timer of the failures before it; a failure deletes it."""

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:
        handle = self.handle
        for attempt in list(rows):
            self.handle = _Deaf(handle) if attempt.ok else handle
            yield from LoginWatch.handleInputRows(self, key, iter([attempt]), timerValues)
        self.handle = handle


class _NeverForgets(LoginWatch):
    def handleExpiredTimer(
        self, key: Any, timerValues: Any, expiredTimerInfo: Any
    ) -> Iterator[Row]:
        return iter([])


WATCHES = {
    "right": LoginWatch,
    "all_customers": _AllCustomers,
    "first_row": _FirstRow,
    "forgets": _Forgets,
    "no_reset": _NoReset,
    "tells_again": _TellsAgain,
    "old_timers_stay": _OldTimersStay,
    "success_leaves_timer": _SuccessLeavesTimer,
    "never_forgets": _NeverForgets,
}
METHODS = ("init", "handleInputRows", "handleExpiredTimer")


def subject(name: str) -> type[StatefulProcessor]:
    """The class to be tested: the right one, or one with the bug of that name.

    All of them look like the one in the notebook: by what such a class is made of none can be told from
    another. So the bugs name LoginWatch where they use its methods; `super()` knows only its own class.
    """
    found = WATCHES[name]
    own = {method: getattr(found, method) for method in METHODS}
    own |= {"__doc__": LoginWatch.__doc__, "__module__": __name__}
    return type("LoginWatch", (StatefulProcessor,), own)
