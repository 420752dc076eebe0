"""Tries to read the grade book by a symbolic link in the folder that it handed in.

Must find nothing: a link leads to a path of the sandbox. `grader grade` rejects such a folder
anyway.
"""

from forms import Program
from world import World


def linked(world: World) -> list[str]:
    (world.handed_in / "link").symlink_to(world.file(world.root / "gradebook.db"))
    return ["link"]


ATTACK = Program("open(given[0]).read(1); harm()", linked, refused="No such file")
