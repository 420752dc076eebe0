"""The same servers in another order, by other names for this host, with and without a certificate."""

import random as randoms

from grader.scenario import Event, Scenario

HOSTS = ("127.0.0.1", "localhost")


def hidden(random: randoms.Random) -> Scenario:
    """Every server without a certificate of the client's own, and with one."""
    cases = [
        (server, own)
        for server in ("ours", "mutual", "impostor", "other name")
        for own in (False, True)
    ]
    random.shuffle(cases)
    return Scenario(
        [
            Event(step, "servers", {"server": server, "host": random.choice(HOSTS), "own": own})
            for step, (server, own) in enumerate(cases, start=1)
        ]
    )
