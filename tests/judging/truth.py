"""What a verdict says of a run, looked up in the recording of that run: each figure, row, event and time."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from grader.judging.event_time import event_micros
from grader.judging.facts import figure_of
from grader.judging.instants import clock, micros, several_days
from grader.judging.play import Play, rows_of, written_of
from grader.judging.verdict import Verdict
from grader.judging.wording.value_text import duration_text, figure_text, row_text, value_text
from grader.scenario import Event, Exercise
from grader.scenario.recording import Recording

TABLES = ("table", "table_writer")  # a verdict tells of the first step after which it differs
_STEP = r"step (?P<step>\d+)"
_BEFORE = r" \(this row was there already\)"
_CLOCK = r"(?:none yet|\+\d{5}-\S+Z|(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d(?:\.\d+)?)"


@dataclass
class Told:
    """A verdict's text beside the play that it speaks of."""

    exercise: Exercise
    play: Play
    text: str
    static: list[str]
    lies: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.said = self.text
        self.listed = re.findall(r"(?m)^(wrong value|missing|unexpected)(?= in step)", self.text)

    @property
    def run(self) -> Recording:
        assert self.play.actual is not None
        return self.play.actual

    def look(self, pattern: str, true: Callable[[re.Match[str]], bool]) -> None:
        """Hold each place of the text that fits a pattern against the run, and take it out."""

        def found(match: re.Match[str]) -> str:
            if not true(match):
                self.lies.append(match[0])
            return ""

        self.text = re.sub(pattern, found, self.text)


def lies_in(
    verdict: Verdict, plays: list[Play], exercise: Exercise, static: list[str], hint: str = ""
) -> list[str]:
    """The places in a verdict that are not so, and the figures that nothing here accounts for.

    `hint` is that of the known mistake as its author wrote it, with its `{paths}`; `static` are texts of
    the author's own; a figure in them is no figure of the run.
    """
    lies = []
    # how a query failed is told in the words of Spark and Python
    judged = [c for c in verdict.criteria if c.name in (*exercise.judged(), "hidden")]
    for criterion in judged:
        for play in _spoken_of(criterion.name, plays):
            told = Told(exercise, play, criterion.message, static)
            _hold(told)
            left = _unaccounted(told.text, static)
            if not told.lies and not left:
                break
        else:
            lies += [*told.lies, *[f"unaccounted: {figure} in {told.text!r}" for figure in left]]
    if verdict.diagnosis:
        for play in reversed(plays):  # it speaks of one of them
            told = Told(exercise, play, verdict.diagnosis.hint, static)
            _hold_hint(told, hint)
            left = _unaccounted(told.text, static)
            if not told.lies and not left:
                break
        else:
            lies += [*told.lies, *[f"unaccounted: {f} in the hint {told.text!r}" for f in left]]
    return lies


def _spoken_of(name: str, plays: list[Play]) -> list[Play]:
    """The plays that a criterion may speak of."""
    if name == "hidden":
        return [play for play in plays if play.hidden]
    variants = {"batching": ["merged", "shifted"], "settings": ["settings"]}
    variants |= {"restart": ["crash"], "exactly_once": ["crash"]}
    wanted = variants.get(name, ["as_is"])
    return [play for play in plays if play.variant.name in wanted and not play.hidden]


def _unaccounted(text: str, static: list[str]) -> list[str]:
    return [
        figure
        for figure in re.findall(r"(?<![\w.])\d[\d:.,]*\b", text)
        if not any(re.search(rf"(?<!\d){re.escape(figure)}(?!\d)", said) for said in static)
    ]


def _hold(told: Told) -> None:
    run, right, play = told.run, told.play.expected, told.play
    told.look(
        rf"(?m)^(?:Look at|(?P<brought>\S.*?) came with) the event (?P<event>.+?) of {_STEP}"
        r"(?: \((?P<note>[^)]*)\))?(?P<more>;.*)?\.$",
        lambda m: _event_is_so(told, m, int(m["step"]), m["note"]),
    )
    told.look(  # where events come in other steps than the learner's
        r"(?m)^(?:Look at|(?P<brought>\S.*?) came with) the event (?P<event>\{(?:(?! of step).)+?\})(?P<more>;.*)?\.$",
        lambda m: any(
            _event_is_so(told, m, event.step, None)
            for event in told.play.variant.scenario.events
            if _shown(event) == m["event"]
        ),
    )
    told.look(
        rf"(?m)^(?P<kind>wrong value|missing|unexpected) in {_STEP}(?: \(expected in step "
        rf"(?P<due>\d+)\)|(?P<again>{_BEFORE}))?: (?P<row>.*)$",
        lambda m: _row_is_so(
            told, m["kind"], m["row"], int(m["step"]), int(m["due"] or 0), again=bool(m["again"])
        ),
    )
    told.look(
        r"(?m)^(?P<kind>wrong value|missing|unexpected): … and (?P<n>\d+) more$",
        lambda m: _are_more(told, m["kind"], int(m["n"])),
    )
    told.look(
        rf"(?m)^(?P<kind>wrong value|missing|unexpected)(?P<again>{_BEFORE})?: (?P<row>.*)$",
        lambda m: _row_is_so(told, m["kind"], m["row"], None, again=bool(m["again"])),
    )
    for rest in (r", expected (?P<wanted>{})\.", r", that of the solution (?P<wanted>{})\."):
        told.look(
            rf"After {_STEP} the watermark of your query is (?P<got>{_CLOCK})"
            + rest.format(_CLOCK),
            lambda m: (
                m["got"] == _stood(told, run, int(m["step"]))
                and m["wanted"] == _stood(told, right, int(m["step"]))
            ),
        )
    told.look(
        rf"After {_STEP} the watermark of your query is (?P<got>{_CLOCK}), expected none\.",
        lambda m: (
            m["got"] == _stood(told, run, int(m["step"]))
            and right.watermark_after(int(m["step"])) is None
        ),
    )
    told.look(
        r"It is (?P<shift>[\d.]+ (?:hour|minute|second)s?) (?P<which>earlier|later) after every step: "
        r"is the delay of withWatermark (?P=shift) too (?P<size>long|short)\?",
        lambda m: (
            _differs_everywhere(told, m["shift"], earlier=m["which"] == "earlier")
            and (m["which"] == "earlier") == (m["size"] == "long")
        ),
    )
    told.look(
        rf"After {_STEP} your query has no watermark yet, expected (?P<wanted>{_CLOCK})\.",
        lambda m: (
            run.watermark_after(int(m["step"])) is None
            and m["wanted"] == _stood(told, right, int(m["step"]))
        ),
    )
    told.look(
        rf"In {_STEP} your query dropped (?P<got>nothing|\d+ rows?) as late, the solution (?P<wanted>nothing|\d+ rows?)\.",
        lambda m: (
            _number(m["got"]) == run.dropped_in(int(m["step"]))
            and _number(m["wanted"]) == right.dropped_in(int(m["step"]))
        ),
    )
    told.look(
        rf"In {_STEP} the watermark of your query dropped (?P<got>\d+ rows?), expected none",
        lambda m: _number(m["got"]) == run.dropped_in(int(m["step"])),
    )
    told.look(
        rf"{_STEP[0].upper()}{_STEP[1:]} contains a late row, and no watermark",
        lambda m: bool(right.dropped_in(int(m["step"]))) and not run.dropped_in(int(m["step"])),
    )
    told.look(
        rf"After {_STEP}, expected (?P<n>\d+) rows?, got none\.",
        lambda m: (
            int(m["n"]) == len(rows_of(right, right, int(m["step"])))
            and not rows_of(run, right, int(m["step"]))
        ),
    )
    told.look(
        rf"After {_STEP}, expected (?P<n>\d+) rows?",
        lambda m: int(m["n"]) == len(rows_of(right, right, int(m["step"]))),
    )
    told.look(r"Expected (?P<n>\d+) rows?", lambda m: int(m["n"]) == len(play.wanted))
    told.look(
        r"All expected rows were emitted \((?P<n>\d+) rows?\)",
        lambda m: int(m["n"]) == len(play.wanted),
    )
    told.look(r"got none\.", lambda m: not play.got)
    told.look(
        r"(?P<n>\d+) in `(?P<topic>\w+)` \(expected (?P<wanted>\d+)\)",
        lambda m: (
            int(m["n"]) == sum(r["topic"] == m["topic"] for r in play.got)
            and int(m["wanted"]) == sum(r["topic"] == m["topic"] for r in play.wanted)
        ),
    )
    told.look(
        r"(?:\d+ rows? (?:missing|unexpected|with a wrong value)(?:, )?)+",
        lambda m: _adds_up(told, m[0]),
    )
    told.look(
        r"are right, but not their steps: (?P<row>.*?) was emitted in step (?P<came>\d+), expected in step (?P<due>\d+)",
        lambda m: (
            _is_at(told, right, m["row"], int(m["due"]))
            and _is_at(told, run, m["row"], int(m["came"]))
        ),
    )
    series = ", ".join(str(run.state_after(n)) for n in range(1, run.steps + 1))
    told.look(
        r"(?:after each step(?:: | are ))(?P<series>[\d, ]*\d)", lambda m: m["series"] == series
    )
    told.look(
        r"expected (?P<n>\d+) at the end",
        lambda m: int(m["n"]) == int(right.state_after(run.steps) * _rows_a_key(run, right)),
    )
    steps = range(1, run.steps + 1)
    most = [max((r.state_after(n) for n in steps), default=0) for r in (run, right)]
    most[1] = int(most[1] * _rows_a_key(run, right))
    told.look(
        r"grows to (?P<got>\d+) rows? \((?P<series>[\d, ]+)\); (?P<enough>\d+) are enough",
        lambda m: [int(m["got"]), int(m["enough"])] == most and m["series"] == series,
    )
    told.look(
        r"in your query: (?P<got>\d+), each with its own state; (?P<enough>\d+) would be enough",
        lambda m: [int(m["got"]), int(m["enough"])] == [_most_operators(r) for r in (run, right)],
    )
    for fact in told.exercise.facts:
        figure = figure_of(fact, run)
        shown = "" if figure is None else re.escape(figure_text(figure))
        told.look(
            rf"{re.escape(fact.title)} \((?P<shown>[^)]*)\)\.",
            lambda m, shown=shown: re.escape(m["shown"]) == shown,
        )
        limits = {f"{limit:g}" for limit in (fact.at_least, fact.at_most) if limit is not None}
        equals = fact.other_equals if play.variant.conf else fact.equals
        told.look(
            rf"{re.escape(fact.title)}: .*? is {shown}, expected (?P<wanted>.*)\.",
            lambda m, equals=equals, limits=limits: (
                set(re.findall(r"\d+", m["wanted"].replace(",", ""))) == limits
                or m["wanted"] == str(equals)
            ),
        )
    told.look(
        r"`(?P<name>[\w.]+)` is (?P<other>\S+) in place of (?P<first>\S+?)(?=, |\. There)",
        lambda m: (
            (m["other"], m["first"])
            == (play.variant.conf.get(m["name"]), told.exercise.conf.get(m["name"]))
        ),
    )
    told.look(
        rf"In the first run {_STEP} was right\. In the second, before any kill, it differs",
        lambda m: _differs_before_the_kill(told, int(m["step"])),
    )


def _stood(told: Told, run: Recording, step: int) -> str:
    """A watermark as it is told: with its date where those of the play lie on several days."""
    runs = (told.run, told.play.expected)
    days = several_days(batch.watermark for one in runs for batch in one.batches)
    return clock(_watermark(run, step), days=days)


def _watermark(run: Recording, step: int) -> str | None:
    """The watermark that a step ended with: the next one begins with it."""
    begins = [batch.watermark for batch in run.batches if batch.step == step + 1][:1]
    return begins[0] if begins and begins[0] else run.watermark_after(step)


def _differs_everywhere(told: Told, shift: str, *, earlier: bool) -> bool:
    """Whether the two watermarks differ by this time wherever both are known, at two of them at least."""
    pairs = [
        (_watermark(told.run, step), _watermark(told.play.expected, step))
        for step in range(1, told.run.steps + 1)
    ]
    both = {(got, right) for got, right in pairs if got and right}
    sign = -1 if earlier else 1
    return len(both) > 1 and all(
        duration_text(sign * (micros(got) - micros(right))) == shift for got, right in both
    )


def _are_more(told: Told, kind: str, more: int) -> bool:
    """Whether so many rows of a kind are counted beyond those that are shown."""
    what = {"wrong value": "with a wrong value", "missing": "missing", "unexpected": "unexpected"}[
        kind
    ]
    counted = re.search(rf"(\d+) rows? {what}", told.said)
    shown = len(re.findall(rf"(?m)^{kind}(?: in step \d+[^:]*|{_BEFORE})?: (?!…)", told.said))
    return counted is not None and int(counted[1]) == shown + more


def _differs_before_the_kill(told: Told, step: int) -> bool:
    right, batches = told.play.expected, [b for b in told.run.of_step(step) if not b.rerun]
    came = written_of(replace(told.run, batches=batches), right)
    should = written_of(replace(right, batches=right.of_step(step)), right)
    in_time = step <= (told.play.variant.crash_after or 0)
    return in_time and sorted(map(row_text, came)) != sorted(map(row_text, should))


def _rows_a_key(run: Recording, right: Recording) -> float:
    """How many rows a processor keeps of what is one in the solution, while nothing has been let go of."""
    if not all(o.name.startswith("transformWithState") for b in run.batches for o in b.operators):
        return 1.0
    kept = [(run.state_after(n), right.state_after(n)) for n in range(1, run.steps + 1)]
    falls = next((n for n in range(1, len(kept)) if kept[n][1] < kept[n - 1][1]), len(kept))
    return max([1.0, *(got / wanted for got, wanted in kept[:falls] if wanted)])


def _most_operators(run: Recording) -> int:
    return max(len(batch.operators) for batch in run.batches)


def _hold_hint(told: Told, hint: str) -> None:
    """A hint's figures, each at its place in the author's words; a sentence may have been left out."""
    for sentence in re.split(r"(?<=[.?!:]) (?=\S)", hint):
        paths = re.findall(r"\{([\w.]+)\}", sentence)
        if not paths:
            continue
        words = [re.escape(part) for part in re.split(r"\{[\w.]+\}", sentence)]
        told.look(
            r"((?:\d{4}-\d\d-\d\d )?\S+(?: (?:hour|minute|second)s?)?)".join(words) + r"(?= |$)",
            lambda m, paths=paths: all(
                shown == _figure(told, path) for path, shown in zip(paths, m.groups(), strict=True)
            ),
        )


def _figure(told: Told, path: str) -> str:
    """What a run shows at a path of a hint, in the words of a hint."""
    if path.startswith("facts."):
        (fact,) = [fact for fact in told.exercise.facts if fact.name == path[6:]]
        figure = figure_of(fact, told.run)
        return "" if figure is None else figure_text(figure)
    run = told.play.expected if path.startswith("asked.") else told.run
    step, what = re.fullmatch(r"(?:asked\.)?steps\.(\d+)\.(\w+)", path).groups()  # type: ignore[union-attr]
    number = int(step)
    if what == "delay":
        return duration_text(round((_delay(told, run, number) or 0) * 1_000_000))
    rows = sum(len(batch.rows) for batch in run.of_step(number))
    shown = {
        "state": run.state_after(number),
        "dropped": run.dropped_in(number),
        "rows": rows,
        "watermark": clock(run.watermark_after(number)),
    }
    return str(shown[what])


def _delay(told: Told, run: Recording, step: int) -> float | None:
    """The seconds by which the watermark was behind the newest event after a step; None where it was not."""
    come = [event for event in told.play.variant.scenario.events if event.step <= step]
    times = [event_micros(event, told.exercise) for event in come]
    known, stood = [time for time in times if time is not None], run.watermark_after(step)
    return (max(known) - micros(stood)) / 1e6 if known and stood and step <= run.steps else None


def _number(text: str) -> int:
    found = re.search(r"\d+", text)
    return int(found[0]) if found else 0


def _is_at(told: Told, run: Recording, row: str, step: int) -> bool:
    return any(_reads(given, row) for given in rows_of(run, told.play.expected, step))


def _row_is_so(
    told: Told, kind: str, row: str, step: int | None, due: int = 0, *, again: bool = False
) -> bool:
    """Whether a row is where it is said to be, and its wrong values are those that came.

    `again` says that the same row, which is right, came before it.
    """
    right = told.play.expected
    if step is None:
        wanted, got = (written_of(run, right) for run in (right, told.run))
    else:
        wanted, got = rows_of(right, right, due or None), rows_of(told.run, right, step)
        wanted_here = rows_of(right, right, step)
    if kind == "missing":
        place = wanted if step is None else wanted_here
        return any(_reads(given, row) for given in place)
    if kind == "unexpected":
        before = rows_of(told.run, right, step and range(1, step + 1)) if again else got
        often = sum(_reads(given, row) for given in before)
        asked = any(_reads(given, row) for given in rows_of(right, right))
        return often > again and asked >= again
    pairs = re.findall(
        r"([\w.]+) is (.+?), expected (.+?)(?=, [\w.]+ is |, [\w., ]+ unexpected|$)", row
    )
    fixed = (
        row.partition(f": {pairs[0][0]} is ")[0]
        if pairs and not row.startswith(pairs[0][0])
        else ""
    )
    same = [
        part.partition("=")[::2] for part in fixed.split(" · ") if "=" in part and part[-1] != "…"
    ]

    def fits(given: dict[str, object], side: int) -> bool:
        told = [*same, *[(name, shown[side]) for name, *shown in pairs]]
        return all(_has(given, name, shown) for name, shown in told)

    return any(fits(given, 0) for given in got) and any(fits(given, 1) for given in wanted)


def _reads(row: dict[str, object], said: str) -> bool:
    """Whether a row is told so, its times with or without their dates."""
    texts = {row_text(row, days=days) for days in (False, True)}
    return any(text == said or (said[-1] == "…" and text.startswith(said[:-1])) for text in texts)


def _has(row: dict[str, object], name: str, shown: str) -> bool:
    value: object = row
    for part in name.split(".") if "." in name else [name]:
        if not isinstance(value, dict) or part not in value:
            return shown == "missing"
        value = value[part]
    if isinstance(value, float) and value.is_integer() and shown == str(int(value)):
        return True  # 3 and 3.0 are one number
    texts = [value_text(value, days=days) for days in (False, True)]
    return shown in (*texts, repr(value)) or shown == "missing"


def _adds_up(told: Told, text: str) -> bool:
    """Whether missing, spare and wrong rows make up for what was asked for and what came."""
    kinds = {"missing": "missing", "unexpected": "unexpected", "with": "wrong value"}
    counts = {
        kind: int(n) for n, kind in re.findall(r"(\d+) rows? (missing|unexpected|with)", text)
    }
    if not told.play.hidden and told.listed:
        shown = {kind: told.listed.count(name) for kind, name in kinds.items()}
        if any(shown[kind] != min(3, counts.get(kind, 0)) for kind in kinds):
            return False
        left_out = [name for kind, name in kinds.items() if counts.get(kind, 0) > 3]
        if any(f"\n{name}: … and " not in told.said for name in left_out):
            return False
    if told.exercise.returns in TABLES or told.play.variant.name == "crash":
        return True  # of one step, or of records that count once
    if counts.get("with", 0) > min(len(told.play.wanted), len(told.play.got)):
        return False
    return counts.get("unexpected", 0) - counts.get("missing", 0) == len(told.play.got) - len(
        told.play.wanted
    )


def _event_is_so(told: Told, match: re.Match[str], step: int, note: str | None) -> bool:
    """Whether the event named came in that step, at the watermark named, and no later than the row."""
    more = match["more"] or ""
    events = [e for e in told.play.variant.scenario.of_step(step) if _shown(e) == match["event"]]
    first = min(
        (int(n) for n in re.findall(r"(?m)^(?:wrong|missing|unexp)\D*in step (\d+)", told.text)),
        default=step,
    )
    if not events or (step > first and first):
        return False
    came = [value for event in events for value in _texts(event)]
    if match["brought"] and match["brought"] not in came:
        return False
    if note and all(event.note != note for event in events):
        return False
    stood = re.search(rf"of your query was ({_CLOCK})", more)
    should = re.search(rf"expected ({_CLOCK})\)", more)
    if stood and stood[1] != clock(told.run.watermark_after(step - 1)):
        return False
    if should and should[1] != clock(told.play.expected.watermark_after(step - 1)):
        return False
    past = re.search(r", ([\d.]+) s later than the event, and it was dropped as late", more)
    if past:
        time, at = event_micros(events[0], told.exercise), told.run.watermark_after(step - 1)
        return bool(
            time and at and float(past[1]) * 1e6 == micros(at) - time and told.run.dropped_in(step)
        )
    return "was not dropped" not in more or bool(told.play.expected.dropped_in(step))


def _texts(event: Event) -> list[str]:
    """The texts that an event brings, as they are shown."""
    values = event.value.values() if isinstance(event.value, dict) else []
    return [value_text(value) for value in values if isinstance(value, str)]


def _shown(event: Event) -> str:
    if not isinstance(event.value, dict):
        return value_text(event.value)
    return (
        "{" + ", ".join(f"{name}={value_text(value)}" for name, value in event.value.items()) + "}"
    )


def static_texts(exercise: Exercise, hints: list[str]) -> list[str]:
    """The author's own texts: what stands in them is not said of the run."""
    facts = [
        f"{f.title} {f.fix} {f.counts} {f.because} {f.at_least} {f.at_most} {f.equals}"
        for f in exercise.facts
    ]
    return [exercise.id, exercise.answer, *facts, *hints]
