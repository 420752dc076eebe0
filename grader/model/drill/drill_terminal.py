"""The drill in a terminal: a number and Enter answer a question."""

from __future__ import annotations

from grader.model.drill.drill_sitting import Drill
from grader.model.drill.question_text import answer_text, question_text


def ask(drill: Drill, count: int) -> None:
    """Ask so many questions, or until `q`, the end of the input or Ctrl-C, which is raised again."""
    try:
        for number in range(1, count + 1):
            question = drill.next()
            print(f"\n── {number} of {count} · {question.topic} · level {question.level}\n")
            print(question_text(question), end="\n\n")
            chosen = typed_choice(len(question.choices))
            if chosen is None:
                break
            drill.answer(question, chosen)
            print(f"\n{answer_text(question, chosen)}\n\n{drill.standing(question.topic)}")
    except KeyboardInterrupt:
        print(f"\n{drill.summary()}")
        raise
    print(f"\n{drill.summary()}")


def typed_choice(count: int) -> int | None:
    """The place of the choice that is typed, of so many; None to stop."""
    while True:
        try:
            given = input(f"1 to {count}, q to stop: ").strip().lower()
        except EOFError:
            return None
        if given in ("q", "quit", "exit"):
            return None
        if given.isdecimal() and 1 <= int(given) <= count:
            return int(given) - 1
        print(f"Type a number from 1 to {count}, or q.")
