"""Questions answered before running."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import Any

from grader.feedback.display import Display
from grader.judging.check_pack import PackedPrediction
from grader.learner import progress
from grader.learner.course_packs import exercise_near

_TIME = re.compile(
    r"(?:\d{4}-\d\d-\d\d[ T])?(\d{1,2}):(\d{1,2})(?::(\d{1,2})(?:\.(\d+))?)?(?: *Z| *UTC|[+]00:00)?"
)
_NUMBER = re.compile(r"([+-]?\d+(?:\.\d+)?)(?: *[a-z]+)?")
_SMALL = """
zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen
"""
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {word: number for number, word in enumerate(_SMALL.split())}
_WORDS |= {word: 10 * number for number, word in enumerate(_TENS.split(), start=2)}
_WORDS |= {"none": 0, "no": 0, "nothing": 0}
# after a number these words give a different number, or say that there is no answer
_NO_NOUN = {*_WORDS, "hundred", "thousand", "million", "dozen", "idea", "clue", "answer", "guess"}


def predict(exercise_id: str, answers: dict[str, Any], unnamed: tuple[Any, ...] = ()) -> None:
    """Say of each answer whether it is what Spark did, and why. What cannot be read is not noted."""
    asked = {p.name: p for p in exercise_near(exercise_id, Path.cwd()).predictions}
    if not asked:
        Display().text(f"{exercise_id} asks nothing before it is run.")
        return
    for name, answer in answers.items():
        if name in asked:
            Display().text(_judged(exercise_id, asked[name], answer))
    strange = [name for name in answers if name not in asked]
    if strange or unnamed or not answers:
        Display().text(_questions(exercise_id, asked, strange, unnamed))


def fits(prediction: PackedPrediction, answer: Any) -> bool:
    """Whether an answer is the one that Spark gave: `3`, `"3 rows"` and `"three"` are the same."""
    wanted = read(prediction.answer)
    return wanted is not None and read(answer) == wanted


def read(answer: Any) -> tuple[str, float] | None:
    """An answer as a number or as a time (in seconds of the day); None if it is neither."""
    text = str(answer).strip().rstrip(".").strip()
    time = _TIME.fullmatch(text.upper())
    if time is not None:
        hours, minutes, seconds = (int(part or 0) for part in time.groups()[:3])
        if hours > 23 or minutes > 59 or seconds > 59:
            return None
        return "time", 3600 * hours + 60 * minutes + seconds + float(f"0.{time.group(4) or 0}")
    number = _NUMBER.fullmatch(re.sub(r"(?<=\d),(?=\d{3}\b)", "", text.lower()))
    if number is not None:
        return "number", float(number.group(1))
    return _spelt(re.split(r"[\s-]+", text.lower())) if answer is not None else None


def _spelt(words: list[str]) -> tuple[str, float] | None:
    """`three`, `thirty two`, and either with a word such as `rows` after it."""
    known = words[:-1] if len(words) > 1 and words[-1] not in _NO_NOUN else words
    if not all(word in _WORDS for word in known):
        return None
    numbers = [_WORDS[word] for word in known]
    if len(numbers) == 2 and numbers[0] >= 20 and 0 < numbers[1] < 10:
        return "number", sum(numbers)
    return ("number", numbers[0]) if len(numbers) == 1 else None


def _judged(exercise_id: str, asked: PackedPrediction, answer: Any) -> str:
    wanted, given = read(asked.answer), read(answer)
    if wanted is not None and (given is None or given[0] != wanted[0]):
        form = "a time such as 12:30:00" if wanted[0] == "time" else "a number such as 7"
        return f"{asked.name} asks for {form}, and {answer!r} is none. It has not been noted: answer again."
    progress.remember_prediction(exercise_id, asked.name, fits(asked, answer))
    return told(exercise_id, asked, answer)


def told(exercise_id: str, asked: PackedPrediction, answer: Any) -> str:
    """What is said of an answer that can be read: whether it is right, and why, or a hint."""
    if fits(asked, answer):
        return f"✓ {asked.name} = {answer}. {asked.why}".rstrip()
    given = read(answer)
    nudge = next(
        (said for wrong, said in asked.wrong.items() if read(wrong) == given),
        f"Go through the steps again, on paper; {_shown_by(exercise_id)}.",
    )
    return f"✗ {asked.name} is not {answer}. {nudge}"


def _shown_by(exercise_id: str) -> str:
    """Where the learner can see the answer; a worked example, NN.0, is run by the cells that follow."""
    if exercise_id.endswith(".0"):
        return "what comes below shows what it is"
    return "the lens shows it once your answer runs"


def _questions(
    exercise_id: str,
    asked: dict[str, PackedPrediction],
    strange: list[str],
    unnamed: tuple[Any, ...],
) -> str:
    """The questions to answer, and their names."""
    lines = []
    for name in strange:
        near = difflib.get_close_matches(name, asked, n=1)
        meant = f" Did you mean {near[0]}?" if near else ""
        lines.append(f"{exercise_id} has no question {name!r}.{meant}")
    if unnamed:
        lines.append("An answer needs the name of its question.")
    names = ", ".join(f"{name}=…" for name in asked)
    lines.append(f'Answer by name: grader.predict("{exercise_id}", {names})')
    lines += [f"{p.name}: {p.question}" for p in asked.values()]
    return "\n".join(lines)
