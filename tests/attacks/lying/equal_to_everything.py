"""Tries to be equal to every expected value: the values of its rows say so of themselves (`__eq__`).

Must fail: a recording is JSON, in which no value can define its own equality.
"""

from forms import Notebook

CELL = """class Equal(str):
    def __eq__(self, other):
        return True
    def __ne__(self, other):
        return False
    __hash__ = str.__hash__

def answer(clicks):
    return [{"page": Equal("any"), "n": 7} for row in clicks]
"""
ATTACK = Notebook(CELL)
