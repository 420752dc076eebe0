"""The secret of a course: hidden events come from it, not from anything that is public."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
from pathlib import Path

from grader.errors import SetupError

FILE = "secret"


def course_secret(folder: Path) -> str:
    """The secret kept in a course's grading folder; made, of 256 bits, if there is none yet.

    Grade on several machines with the same file: a different secret means different hidden events.
    """
    path = folder / FILE
    if not path.exists():
        new = folder / f".{FILE}.{secrets.token_hex(8)}"
        new.touch(0o600)
        new.write_text(secrets.token_hex(32) + "\n", encoding="ascii")
        # whole or not at all, and never over an existing one
        with contextlib.suppress(FileExistsError):
            os.link(new, path)
        new.unlink()
    secret = path.read_text(encoding="utf-8").strip()
    if not secret:
        raise SetupError(f"{path} is empty. Put the course's secret back, or delete the file.")
    return secret


def seed_of(secret: str, *names: str) -> int:
    """The seed for a lesson's hidden events, or for one student's: names are the lesson, the student."""
    text = "\0".join(names).encode("utf-8", "surrogatepass")
    return int.from_bytes(hmac.digest(secret.encode(), text, hashlib.sha256), "big")
