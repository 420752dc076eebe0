"""SQL text as tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass

from grader.page.lab_only import OnlyTheLab

_TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>\d+\.\d*(?:[eE][+-]?\d+)?[dD]?|\.\d+[dD]?|\d+(?:[eE][+-]?\d+|[dDlL](?!\w))?)
    | '(?P<text>(?:[^'\\])*)' | "(?P<double>(?:[^"\\])*)"
    | `(?P<quoted>[^`]+)`
    | (?P<word>[A-Za-z_]\w*)
    | (?P<sign><=>|<>|!=|<=|>=|==|[-+*/%(),.=<>])
    )""",
    re.X,
)


@dataclass(frozen=True)
class Token:
    """A token; `kind` is number, text, quoted, word, sign or end."""

    kind: str
    text: str

    def says(self, *words: str) -> bool:
        return self.kind == "word" and self.text.upper() in words

    def is_sign(self, *signs: str) -> bool:
        return self.kind == "sign" and self.text in signs


class Tokens:
    """The tokens of SQL, read from left to right."""

    def __init__(self, sql: str):
        self._found: list[Token] = []
        self._at = 0
        place, sql = 0, sql.rstrip()
        while place < len(sql):
            found = _TOKEN.match(sql, place)
            if found is None:
                raise OnlyTheLab(f"the SQL {sql[place : place + 30].strip()!r}")
            kind = str(found.lastgroup)
            self._found.append(Token("text" if kind == "double" else kind, found[kind]))
            place = found.end()
        self._found.append(Token("end", ""))

    @property
    def next(self) -> Token:
        return self._found[self._at]

    @property
    def place(self) -> int:
        return self._at

    def since(self, place: int) -> list[Token]:
        """The tokens from a place on that have been taken."""
        return self._found[place : self._at]

    def ahead(self, count: int = 1) -> Token:
        return self._found[min(self._at + count, len(self._found) - 1)]

    def take(self) -> Token:
        token = self.next
        self._at = min(self._at + 1, len(self._found) - 1)
        return token

    def take_name(self) -> str:
        """Take a name, as it is or in backticks."""
        token = self.take()
        if token.kind not in ("word", "quoted"):
            raise OnlyTheLab(f"SQL with {token.text!r} where a name is expected")
        return token.text

    def took_word(self, *words: str) -> bool:
        """Take these words if all of them come next, in this order."""
        if all(self.ahead(n).says(word) for n, word in enumerate(words)):
            self._at += len(words)
            return True
        return False

    def took_sign(self, sign: str) -> bool:
        if self.next.is_sign(sign):
            self.take()
            return True
        return False

    def demand_sign(self, sign: str) -> None:
        if not self.took_sign(sign):
            raise OnlyTheLab(f"SQL with {self.next.text!r} where {sign} is expected")

    def demand_word(self, *words: str) -> None:
        if not self.took_word(*words):
            raise OnlyTheLab(f"SQL with {self.next.text!r} where {' '.join(words)} is expected")

    def demand_end(self) -> None:
        if self.next.kind != "end":
            raise OnlyTheLab(f"SQL with {self.next.text!r} after its end")
