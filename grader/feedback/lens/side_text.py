"""The text beside the picture, or below each step: what it emitted, and what the operators keep after it."""

from __future__ import annotations

from grader.feedback.lens.page_geometry import FILE
from grader.feedback.lens.scene import Scene, Step

LINE = 12  # height
SHOWN = 6  # rows of a step
LINES = 6  # of a row at most

Line = tuple[str, str, str]  # class, text, whole text


def lines_beside(scene: Scene, step: Step) -> list[Line]:
    """Lines that fit the page; only what is longer than LINES of them is truncated."""
    if step.asked:
        return [("soft", "?", "the question")]
    lines: list[tuple[str, str]] = []
    shown = step.out if len(step.out) <= SHOWN else step.out[: SHOWN - 1]
    for out in shown:
        sign = {"right": "→", "missing": "− missing:", "unexpected": "+ unexpected:"}[out.verdict]
        lines.append(("mono" if out.verdict == "right" else "mono wrong", f"{sign} {out.text}"))
    if len(shown) < len(step.out):
        lines.append(("mono soft", f"… {len(step.out) - len(shown)} more rows"))
    if not step.out:
        lines.append(("soft", "no row out"))
    lines += [("soft", text) for text in step.states + step.versions]
    return [
        (kind, line, text) for kind, text in lines for line in wrapped(text, scene.page.letters)
    ]


def arrival_lines(scene: Scene, step: Step) -> list[str]:
    """A step's events in words, if they have no time to place them by."""
    if scene.timed:
        return []
    shown = step.arrivals if len(step.arrivals) <= SHOWN else step.arrivals[: SHOWN - 1]
    more = (
        [f"… and {len(step.arrivals) - len(shown)} more"] if len(shown) < len(step.arrivals) else []
    )
    return [line for text in shown for line in wrapped(text, scene.page.words)] + more


def wrapped(text: str, most: int = FILE.letters) -> list[str]:
    """A row's text in lines of at most `most` letters, broken between its columns if possible."""
    lines = [""]
    for part in text.split(" · "):
        joined = f"{lines[-1]} · {part}" if lines[-1] else part
        if len(joined) <= most:
            lines[-1] = joined
            continue
        rest = joined if not lines[-1] else f"  {part}"
        if not lines[-1]:
            lines.pop()
        while len(rest) > most:
            cut = rest.rfind(" ", most // 2, most + 1)
            cut = cut if cut > 0 else most
            lines.append(rest[:cut].rstrip())
            rest = "    " + rest[cut:].lstrip()
        lines.append(rest)
    if len(lines) > LINES:
        lines = [*lines[: LINES - 1], lines[LINES - 1][: most - 1] + "…"]
    return lines
