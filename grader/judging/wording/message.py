"""The one form of every message: what happened, why, what to do next."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from grader.judging.play import Play
from grader.judging.wording.sentences import words_of
from grader.scenario import Exercise

MEANS, DO, ORIGINAL, LINK = LABELS = ("Why", "Next", "Original message", "Read more")


@dataclass(frozen=True)
class About:
    """What a message is about: a play of an answer to an exercise."""

    exercise: Exercise
    play: Play

    @property
    def look(self) -> str:
        return look_text(self.exercise)


def look_text(exercise: Exercise) -> str:
    """Where an answer to the exercise is seen at work."""
    return f'grader.lens("{exercise.id}", {exercise.answer}) shows your run step by step.'


def message(
    happened: str,
    *,
    details: Iterable[str] = (),
    means: str = "",
    do: str = "",
    original: str = "",
    link: str = "",
) -> str:
    """A message of several lines. `happened` also says what was expected; empty parts are left out.

    `original` holds the words of Spark, Kafka or Python; they are below the message. `link` is the address of a page
    that explains the idea.
    """
    lines = [happened, *details]
    lines += [f"{MEANS}: {means}"] if means else []
    lines += [f"{DO}: {do}"] if do else []
    lines += [f"{ORIGINAL}: {original}"] if original else []
    lines += [f"{LINK}: {link}"] if link else []
    return "\n".join(lines)


def message_of(name: str, /, *, details: Iterable[str] = (), **values: Any) -> str:
    """The message whose what, why and fix are in messages.toml under a name, with values filled in."""
    what, why, fix = (
        words_of(name).get(part, "").format(**values) for part in ("what", "why", "fix")
    )
    return message(what, details=details, means=why, do=fix)
