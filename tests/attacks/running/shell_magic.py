"""Tries to run shell commands with magics: ! and %%bash.

Must run them in its own sandbox; its answer is judged.
"""

from forms import Notebook

CELL = """!whoami; ls -la /; cat /etc/passwd
print(get_ipython().getoutput("cat /etc/passwd"))
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, shows="learner")
