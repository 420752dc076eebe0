"""Run inside the lab: lesson 16's pipeline under the shop's load, on the cluster and over TLS.

Takes the program's text and its settings (JSON files). Prints what goes on, then "differences N".
"""

import json
import sys
from pathlib import Path

from grader import capstone


def main() -> None:
    program, settings = (Path(name).read_text(encoding="utf-8") for name in sys.argv[1:])
    with capstone.open_shop() as shop:
        found = capstone.run(
            shop,
            program,
            settings=json.loads(settings),
            seconds=60,
            fast=False,
            watch=lambda what: print(what, flush=True),
        )
    print(found.text(), file=sys.stderr)
    print(f"differences {len(found.differences())} of {len(found.expected())}", flush=True)


if __name__ == "__main__":
    main()
