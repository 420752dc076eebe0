"""Python's syntax trees, made safely in several threads."""

from __future__ import annotations

import ast
import gc
import threading

# Python 3.11 counts the depth of a tree for all threads together (CPython's issue 106905): where a garbage
# collection in the middle lets another thread parse, `ast.parse` raises SystemError. The lock holds off our own
# threads; without a collection no other thread gets a turn, such as the traceback module, which parses lines, too.
_one_at_a_time = threading.Lock()


def parse(text: str) -> ast.Module:
    """The tree of a module's source; raises SyntaxError if it is not Python."""
    with _one_at_a_time:
        collects = gc.isenabled()
        gc.disable()
        try:
            return ast.parse(text)
        finally:
            if collects:
                gc.enable()
