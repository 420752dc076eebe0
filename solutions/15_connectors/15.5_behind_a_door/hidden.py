"""The same servers in another order, by other names for this host, with and without a certificate."""

import random as randoms

from grader.scenario import Event, Scenario

HOSTS = ("127.0.0.1", "localhost")


def hidden(random: randoms.Random) -> Scenario:
    """Every server without a certificate of the client's own and with one, once at each of its names."""
    cases = [
        (server, host, own)
        for server in ("ours", "mutual", "impostor", "other name")
        for own, host in zip((False, True), random.sample(HOSTS, 2), strict=True)
    ]
    random.shuffle(cases)
    return Scenario(
        [
            Event(step, "servers", {"server": server, "host": host, "own": own})
            for step, (server, host, own) in enumerate(cases, start=1)
        ]
    )
