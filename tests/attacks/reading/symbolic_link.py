"""Tries to read the grade book by a symbolic link that lies in the folder handed in.

Must end where nothing is: a link leads to a path of the sandbox. (`grader grade` takes no such folder at all.)
"""

from forms import Program
from world import World


def linked(world: World) -> list[str]:
    (world.handed_in / "link").symlink_to(world.file(world.root / "gradebook.db"))
    return ["link"]


ATTACK = Program("open(given[0]).read(1); harm()", linked, refused="No such file")
