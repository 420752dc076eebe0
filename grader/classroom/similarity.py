"""Answers that are nearly the same without names, comments and layout.

A list for a person, who then reads both: it proves nothing. It leaves out answers that are alike anyway: what
many of a class wrote, the course's own answer, and short answers.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from rapidfuzz.distance import Indel
from rapidfuzz.process import cdist

SHARE = 0.9  # of the words of both, in their order
FEWEST_WORDS = 60  # right answers of that length, each written on its own, share 0.82 at most
MOST_WORDS, MOST_CHARACTERS = 3000, 50_000  # of a hostile answer
DEEPEST = 150  # nodes, from the top of a syntax tree to a leaf: far from what Python can walk
MANY, MANY_OF_CLASS = 3, 0.1  # so many others wrote nearly the same: it is what one writes
FEWEST_IN_RING, MOST_OF_CLASS = 3, 0.5  # a larger group is what one writes
OWN_NAME = "·"  # any name that the code itself binds


@dataclass(frozen=True)
class Pair:
    """Two students' answers to an exercise, and the share of the words of both that is the same."""

    exercise: str
    students: tuple[str, str]
    share: float
    answers: tuple[str, str]


@dataclass(frozen=True)
class Ring:
    """Three or more students with nearly the same answer to an exercise; two may be alike only through a third."""

    exercise: str
    students: list[str]


@dataclass
class Similarities:
    """What is nearly the same in a class: pairs, rings, and the students whose answer is nearly the course's."""

    pairs: list[Pair] = field(default_factory=list)
    rings: list[Ring] = field(default_factory=list)
    like_course: list[Ring] = field(default_factory=list)

    def add(self, other: Similarities) -> None:
        self.pairs += other.pairs
        self.rings += other.rings
        self.like_course += other.like_course


def pairs(exercise: str, answers: Mapping[str, str], given: str = "", own: str = "") -> list[Pair]:
    """The pairs of students whose answers are nearly the same, the most alike first."""
    return similarities(exercise, answers, given, own).pairs


def similarities(
    exercise: str,
    answers: Mapping[str, str],
    given: str = "",
    own: str = "",
    earlier: Mapping[str, str] | None = None,
) -> Similarities:
    """What is nearly the same among the answers to an exercise, the most alike pairs first.

    - `given` is the cell as it was handed out
    - `own` is the course's answer in it, if it is known
    - `earlier` are answers of earlier classes: they are compared with this class's, and not with each other
    """
    everyone = {**(earlier or {}), **answers}
    said = {student: words(text, given) for student, text in everyone.items()}
    said = {student: found for student, found in said.items() if len(found) >= FEWEST_WORDS}
    students = sorted(said)
    texts = [said[student] for student in students]
    if not texts:
        return Similarities()
    score = Indel.normalized_similarity
    course = words(own, given)
    like = [bool(course) and score(text, course) >= SHARE for text in texts]
    copied = [x for x, is_like in zip(students, like, strict=True) if is_like and x in answers]
    shares = cdist(texts, texts, scorer=score, score_cutoff=SHARE)  # 0 below it
    alike = [
        (a, b)
        for a in range(len(students))
        for b in range(a)
        if shares[a, b] >= SHARE and not like[a] and not like[b]
        if students[a] in answers or students[b] in answers
    ]
    many = max(MANY, MANY_OF_CLASS * len(answers))
    natural = [(row >= SHARE).sum() - 1 > many for row in shares]
    found = [
        Pair(
            exercise,
            (students[a], students[b]),
            round(float(shares[a, b]), 3),
            (everyone[students[a]], everyone[students[b]]),
        )
        for a, b in alike
        if not natural[a] and not natural[b]
    ]
    rings = [
        Ring(exercise, sorted(students[n] for n in ring))
        for ring in _rings(alike)
        if FEWEST_IN_RING <= len(ring) <= MOST_OF_CLASS * len(answers)
    ]
    return Similarities(
        sorted(found, key=lambda pair: (-pair.share, pair.students)),
        rings,
        [Ring(exercise, copied)] if copied else [],
    )


def _rings(alike: list[tuple[int, int]]) -> list[set[int]]:
    """The groups that pairs make: an answer that is like one of a group is in the group."""
    groups: list[set[int]] = []
    for pair in alike:
        joined = [group for group in groups if group & set(pair)]
        groups = [group for group in groups if group not in joined]
        groups.append(set(pair).union(*joined))
    return groups


def words(code: str, given: str = "") -> list[str]:
    """What an answer says beyond the given text, word by word, in the order of its syntax tree.

    Names that it binds are one and the same word; what it calls and its constants stay. Nothing if
    it is not Python, far too long, or far too deep.
    """
    tree, stub = _parsed(code), _parsed(given) or ast.Module([], [])
    if tree is None or _deeper_than(DEEPEST, tree):
        return []
    return list(_Words(tree, stub).of(tree))[:MOST_WORDS]


def _deeper_than(most: int, tree: ast.AST) -> bool:
    level: list[ast.AST] = [tree]
    for _ in range(most):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return False
    return True


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
