"""From what is posed to a question: the truth, and the answers that wrong ideas give."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

from grader.feedback.verdict_text import summary_of
from grader.model import NotModelled, Refused
from grader.model.drill.question import Choice, Posed, Question, WhichOne
from grader.model.drill.run_facts import differs_at, rows_of
from grader.model.drill.situation import truth
from grader.model.drill.topics import (
    chained_window_questions,
    deduplication_questions,
    join_questions,
    output_mode_questions,
    session_questions,
    watermark_questions,
    window_questions,
)
from grader.model.drill.topics.question_kind import Kind
from grader.model.drill.wrong_ideas import Idea
from grader.progress_pages.drill_standing import HARDEST

TOPICS: dict[str, list[Kind]] = {
    "watermarks": watermark_questions.KINDS,
    "windows": window_questions.KINDS,
    "output modes": output_mode_questions.KINDS,
    "chained windows": chained_window_questions.KINDS,
    "joins": join_questions.KINDS,
    "deduplication": deduplication_questions.KINDS,
    "sessions": session_questions.KINDS,
}
LEVELS = tuple(range(1, HARDEST + 1))
LEAST, MOST = 2, 3  # wrong choices
TRIES = 1000  # of a kind of question, before another kind is asked
NOTHING = 0.12  # how often "nothing" may be the right answer


class UnknownTopic(ValueError):
    """There is no such topic; the message names the existing topics."""


def topic_of(given: str) -> str:
    """The topic that is meant: `Chained-Windows` is `chained windows`."""
    name = " ".join(str(given).lower().replace("-", " ").replace("_", " ").split())
    if name not in TOPICS:
        raise UnknownTopic(f"there is no topic {given!r}; there are: {', '.join(TOPICS)}.")
    return name


def make_question(topic: str, level: int, seed: int) -> Question:
    """The question of a topic (see TOPICS), a level (1 to 3) and a seed: always the same one."""
    rng = Random(f"{topic}/{level}/{seed}")
    kinds = [kind for kind in TOPICS[topic] if level in kind.levels]
    for kind in rng.sample(kinds, len(kinds)):
        for _ in range(TRIES):
            question = _made(rng, topic, kind, level, seed)
            if question is not None:
                return question
    raise RuntimeError(f"no question on {topic} of level {level} came of the seed {seed}")


def _made(rng: Random, topic: str, kind: Kind, level: int, seed: int) -> Question | None:
    """One try; None if there is no question, or if too few wrong ideas give different answers."""
    posed = kind.pose(rng, level)
    if posed is None:
        return None
    choices = _choices(rng, posed) if isinstance(posed, Posed) else _which(rng, posed)
    if len(choices) <= LEAST or len({choice.text for choice in choices}) < len(choices):
        return None
    played = truth(posed.situation)
    if isinstance(posed, Posed):
        text, why = posed.ask.text, posed.ask.why(posed.situation, played)
    else:
        text, why = posed.text, ""
    return Question(
        topic, kind.name, level, seed, text, posed.situation, played, choices, why,
        shows_rows=isinstance(posed, WhichOne), hidden=posed.hidden,
    )  # fmt: skip


def _choices(rng: Random, posed: Posed) -> list[Choice]:
    """The right answer and up to MOST wrong ones, each with the first idea that gives it."""
    ask, situation = posed.ask, posed.situation
    right = ask.answer(situation, truth)
    if not right and rng.random() > NOTHING:
        return []
    wrong = wrong_answers(posed, right)
    chosen = [*list(wrong)[:1], *rng.sample(list(wrong)[1:], min(MOST - 1, max(0, len(wrong) - 1)))]
    choices = [(right, Choice(ask.write(right)))]
    for answer in chosen:
        idea = wrong[answer]
        said = f"Your answer fits the idea that {idea.when}. {idea.fix}"
        choices.append((answer, Choice(ask.write(answer), idea.name, said)))
    return [choice for _, choice in _ordered(rng, choices)]


def wrong_answers(posed: Posed, right: Any) -> dict[Any, Idea]:
    """What each idea answers, if it is not the truth; the first idea of each answer."""
    found: dict[Any, Idea] = {}
    for idea in posed.ideas:
        answer = answer_of(posed, idea)
        if answer is not None and answer != right:
            found.setdefault(answer, idea)
    return found


def answer_of(posed: Posed, idea: Idea) -> Any:
    """What an idea answers; None if there is no such query, or none that can be played."""
    try:
        return posed.ask.answer(posed.situation, idea.plays)
    except (NotModelled, Refused):
        return None


def _ordered(rng: Random, choices: list[tuple[Any, Choice]]) -> list[tuple[Any, Choice]]:
    """Numbers and times by size, others by chance."""
    if all(isinstance(answer, int | str) for answer, _ in choices):
        return sorted(choices, key=lambda pair: pair[0])
    return rng.sample(choices, len(choices))


def _which(rng: Random, posed: WhichOne) -> list[Choice]:
    """The query that made the rows, and those that make others."""
    (right, _), *others = posed.queries.items()
    shown = truth(posed.situation)
    choices = [Choice(right)]
    for text, query in others:
        played = truth(replace(posed.situation, query=query))
        step = differs_at(shown, played)
        if step is not None and len(choices) <= MOST:
            rows = "; ".join(rows_of(played, step)) or "no row"
            said = f"With it, step {step} emits: {rows} ({summary_of(played.recording, step)})."
            choices.append(Choice(text, "another_query", said))
    return rng.sample(choices, len(choices))
