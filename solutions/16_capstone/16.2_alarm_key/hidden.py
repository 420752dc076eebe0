"""Other alarms: counts that grow, windows one after the other, pages whose names end in digits."""

import random as randoms

from grader.scenario import Event, Scenario


def hidden(random: randoms.Random) -> Scenario:
    calls = []
    for _ in range(4):
        start = 5 * random.randrange(350_000_000, 360_000_000)
        page = f"/offer/{random.randint(10, 99)}"
        clicks = random.randint(5001, 9000)
        one = {"page": page, "start": start, "clicks": clicks}
        calls += [
            [one, {**one, "clicks": clicks + random.randint(1, 900)}],
            [one, {**one, "start": start + 5}],
            [one, {**one, "page": "/Café"}, {**one, "page": page.upper()}],
            [one, {**one, "page": page[:-1], "start": int(f"{page[-1]}{start}")}],
        ]
    calls.append([{"page": "", "start": 1772366400, "clicks": random.randint(5001, 9000)}])
    random.shuffle(calls)
    spaced = {"page": "/tea", "start": 1772366400, "clicks": random.randint(5001, 9000)}
    calls.append([spaced, {**spaced, "page": "/tea "}, {**spaced, "page": " /tea"}])
    # pages that are the same only when something was done to them
    alike = [
        ("/tea%20time", "/tea time"),
        ("/Café", "/Cafe\u0301"),
        ("/search?q=tea", "/search?q=jam"),
        ("/tea#green", "/tea#black"),
        ("/tea{1}", "/tea{{1}}"),  # characters of a format
        ("/under-$start", "/$5-sale", "/100%s"),
    ]
    calls += [[{**spaced, "page": page} for page in pages] for pages in alike]
    return Scenario([Event(n, "calls", {"alarms": call}) for n, call in enumerate(calls, start=1)])
