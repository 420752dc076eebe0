"""Tries to print everything that contains a word of the class: another student's essay, the secret of hidden events.

Must find nothing of it, wherever it looks.
"""

from forms import Notebook

CELL = """
import os
word = b"a word that nobody " + b"else may read"
for top in ("/tmp", "/home", "/root", "/run", "/var", "/mnt", ".."):
    for folder, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name not in ("site-packages", "lib", "grader")]
        for name in names:
            path = os.path.join(folder, name)
            try:
                if os.path.getsize(path) < 1 << 20 and word in open(path, "rb").read():
                    print(open(path).read())
            except OSError:
                pass
print("looked")
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(CELL, shows="looked")
