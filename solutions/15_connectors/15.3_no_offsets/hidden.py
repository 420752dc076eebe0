"""The same turns of fate with other orders; and one long story that is new."""

import random as randoms

from grader.authoring.repeated_calls import own_calls
from grader.scenario import Event, Scenario

KNOWN = ["tea", "jam", "rice", "salt", "milk"]
OTHERS = ["oats", "figs", "corn", "dill", "plum", "kale", "leek", "beet", "lime", "mint"]


def hidden(random: randoms.Random) -> Scenario:
    renamed = dict(zip(KNOWN, random.sample(OTHERS, len(KNOWN)), strict=True))
    stories = [call["story"] for call in own_calls(__file__)]
    stories.append([*stories[5], "publish salt milk", *stories[6][1:]])
    stories.append([*stories[4], "publish rice", "batch"])  # what follows a message that came again
    # an old message comes again when a dozen others are there
    stories.append(["publish tea", "batch", "publish" + " jam" * 12, "batch", "again tea", "batch"])
    # texts that a table or another alphabet would change
    stories.append(["publish Käse 007 NA tea,milk", "batch"])
    # a journal of more than ten files, if it has one for each batch
    stories.append([act for n in range(11) for act in (f"publish order-{n}", "batch")])
    told = [
        [" ".join(renamed.get(word, word) for word in act.split(" ")) for act in story]
        for story in stories
    ]
    random.shuffle(told)
    return Scenario([Event(n, "story", {"story": story}) for n, story in enumerate(told, start=1)])
