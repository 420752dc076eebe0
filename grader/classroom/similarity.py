"""Answers that are nearly the same once names, comments and layout are taken away.

A list for a person, who then reads both: it proves nothing. What many of a class wrote, what is the
course's own answer, and what is a line or two long is left out, since there all are alike.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

SHARE = 0.9  # of the words of both, in their order
FEWEST_WORDS = 60  # right answers of that length, each written on its own, share 0.82 at most
MOST_WORDS, MOST_CHARACTERS = 3000, 50_000  # of a hostile answer
MANY, MANY_OF_CLASS = 3, 0.1  # so many others wrote nearly the same: it is what one writes
OWN_NAME = "·"  # any name that the code itself binds


@dataclass(frozen=True)
class Pair:
    """Two students' answers to an exercise, and the share of the words of both that is the same."""

    exercise: str
    students: tuple[str, str]
    share: float
    answers: tuple[str, str]


def pairs(exercise: str, answers: Mapping[str, str], given: str = "", own: str = "") -> list[Pair]:
    """The pairs of students whose answers are nearly the same, the most alike first.

    `given` is the cell as it was handed out, `own` the course's answer in it, where it is known.
    """
    said = {student: words(text, given) for student, text in answers.items()}
    said = {student: found for student, found in said.items() if len(found) >= FEWEST_WORDS}
    students = sorted(said)
    texts = [said[student] for student in students]
    if len(texts) < 2:
        return []
    score = Indel.normalized_similarity
    course = words(own, given)
    shares = cdist(texts, texts, scorer=score, score_cutoff=SHARE)  # 0 below it
    many = max(MANY, MANY_OF_CLASS * len(answers))
    natural = [
        (bool(course) and score(text, course) >= SHARE) or (row >= SHARE).sum() - 1 > many
        for text, row in zip(texts, shares, strict=True)
    ]
    found = [
        Pair(exercise, (a, b), round(float(shares[i, j]), 3), (answers[a], answers[b]))
        for i, a in enumerate(students)
        for j, b in enumerate(students[:i])
        if shares[i, j] >= SHARE and not natural[i] and not natural[j]
    ]
    return sorted(found, key=lambda pair: (-pair.share, pair.students))


def words(code: str, given: str = "") -> list[str]:
    """What an answer says beyond the given text, word by word, in the order of its syntax tree.

    Names that it binds are one and the same word; what it calls and its constants stay. Nothing where
    it is no Python, or far too long.
    """
    tree, stub = _parsed(code), _parsed(given) or ast.Module([], [])
    if tree is None:
        return []
    try:
        return list(_Words(tree, stub).of(tree))[:MOST_WORDS]
    except RecursionError:
        return []


def _parsed(code: str) -> ast.Module | None:
    if len(code) > MOST_CHARACTERS:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Words:
    def __init__(self, tree: ast.Module, stub: ast.Module):
        self.bound = set(_bound(tree))
        self.given = {ast.dump(node) for node in ast.walk(stub) if isinstance(node, ast.stmt)}
        self.frames = {node.name for node in ast.walk(stub) if isinstance(node, _FRAMES)}

    def of(self, node: ast.AST) -> Iterator[str]:
        if isinstance(node, ast.stmt) and (_only_text(node) or ast.dump(node) in self.given):
            return
        if isinstance(node, _FRAMES) and node.name in self.frames:
            for each in node.body:
                yield from self.of(each)
            return
        yield type(node).__name__
        for name, value in ast.iter_fields(node):
            for part in value if isinstance(value, list) else [value]:
                if isinstance(part, ast.expr_context):
                    continue
                if isinstance(part, ast.AST):
                    yield from self.of(part)
                elif part is not None:
                    chosen = name in _NAMES and not isinstance(node, ast.keyword)
                    yield OWN_NAME if chosen and part in self.bound else repr(part)


_NAMES = ("id", "arg", "name", "names", "asname", "rest")  # fields in which syntax trees have them
_FRAMES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _bound(tree: ast.Module) -> Iterator[str]:
    """The names that code gives to something: variables, arguments, functions, classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, _FRAMES):
            yield node.name


def _only_text(node: ast.stmt) -> bool:
    """A docstring, or a string that serves as a comment."""
    return isinstance(node, ast.Expr) and isinstance(getattr(node.value, "value", None), str)
