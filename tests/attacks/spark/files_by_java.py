"""Tries to read the teacher's files with Java, which is a different process than Python.

Must find none: Java is in the same sandbox.
"""

from forms import Notebook

CELL = """
from grader.learner import notebook_lab as lab
java = lab.start().spark._jvm
for path in ("/etc/shadow", "/root/.bashrc", "/proc/1/root/etc/shadow"):
    try:
        print("read", java.java.io.FileInputStream(path).read())
    except Exception as error:
        print("FileNotFound" if "FileNotFound" in str(error) else error)
def answer(clicks):
    return clicks
"""
ATTACK = Notebook(
    CELL, spark=True, alone=False, shows=r"'FileNotFound\\nFileNotFound\\nFileNotFound\\n'"
)
