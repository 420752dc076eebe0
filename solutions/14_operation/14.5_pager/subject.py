"""The pager that the tests are for, and ten that have a planted bug each."""

from typing import Any

MAX = "maxOffsetsBehindLatest"


class Pager:
    """Says "wake" when a query stays behind, once, and "all clear" when it has caught up."""

    def __init__(self, most: int):
        self.most = most
        self.above = 0
        self.awake = False

    def tell(self, report: dict[str, Any]) -> str | None:
        told = [source.get("metrics", {}).get(MAX) for source in report["sources"]]
        known = [int(text) for text in told if text is not None]
        if not known:
            return None
        lag = max(known)
        self.above = self.above + 1 if lag > self.most else 0
        if self.above >= 3 and not self.awake:
            self.awake = True
            return "wake"
        if self.awake and lag <= self.most / 2:
            self.awake = False
            return "all clear"
        return None


def _lags(report: dict[str, Any]) -> list[str]:
    return [s["metrics"][MAX] for s in report["sources"] if MAX in s.get("metrics", {})]


def _with(lag: Any) -> dict[str, Any]:
    return {"sources": [{"metrics": {MAX: str(lag)}}]}


class _AllPagers(Pager):
    one: Pager | None = None

    def tell(self, report: dict[str, Any]) -> str | None:
        kind = type(self)
        kind.one = kind.one or Pager(self.most)
        return kind.one.tell(report)


class _AtTheLimit(Pager):
    def tell(self, report: dict[str, Any]) -> str | None:
        lags = [int(text) for text in _lags(report)]
        at = bool(lags) and max(lags) == self.most
        return super().tell(_with(self.most + 1) if at else report)


class _NotInARow(Pager):
    def tell(self, report: dict[str, Any]) -> str | None:
        before = self.above
        said = super().tell(report)
        if self.above == 0 and said is None and not self.awake:
            self.above = before
        return said


class _EveryReport(Pager):
    def tell(self, report: dict[str, Any]) -> str | None:
        before = self.above
        said = super().tell(report)
        return "wake" if self.above > before and self.above >= 3 else said


class _SilenceCounts(Pager):
    def tell(self, report: dict[str, Any]) -> str | None:
        return super().tell(report if _lags(report) else _with(0))


class _FirstSource(Pager):
    def tell(self, report: dict[str, Any]) -> str | None:
        return super().tell({"sources": report["sources"][:1]})


class _AsText(Pager):
    def tell(self, report: dict[str, Any]) -> str | None:
        lags = _lags(report)
        return super().tell(_with(max(lags)) if lags else report)


class _ClearAtOnce(Pager):
    def tell(self, report: dict[str, Any]) -> str | None:
        lags = [int(text) for text in _lags(report)]
        calm = bool(lags) and max(lags) <= self.most
        return super().tell(_with(0) if calm and self.awake else report)


class _ClearUnasked(Pager):
    def tell(self, report: dict[str, Any]) -> str | None:
        lags = [int(text) for text in _lags(report)]
        said = super().tell(report)
        return "all clear" if lags and max(lags) <= self.most / 2 else said


class _NeverAgain(Pager):
    woke = False

    def tell(self, report: dict[str, Any]) -> str | None:
        said = super().tell(report)
        if said == "wake" and self.woke:
            return None
        self.woke = self.woke or said == "wake"
        return said


PAGERS = {
    "right": Pager,
    "all_pagers": _AllPagers,
    "at_the_limit": _AtTheLimit,
    "not_in_a_row": _NotInARow,
    "every_report": _EveryReport,
    "silence_counts": _SilenceCounts,
    "first_source": _FirstSource,
    "as_text": _AsText,
    "clear_at_once": _ClearAtOnce,
    "clear_unasked": _ClearUnasked,
    "never_again": _NeverAgain,
}


def subject(name: str) -> type[Pager]:
    """The class to be tested: the right one, or one with the bug of that name."""
    return type("Pager", (PAGERS[name],), {"__doc__": Pager.__doc__, "__module__": __name__})
