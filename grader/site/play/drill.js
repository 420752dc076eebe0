// The page that drills: its topics, and one question after the other on the topic that its address names.
import { card, text } from "./card.js";
import { keepStanding, standings } from "./kept.js";
import { offerFile } from "./kept_file.js";
import { ask, LIMIT, startPython } from "./python.js";

const byId = (name) => document.getElementById(name);
const NEXT = "next"; // in the address: the topic that is next for the learner
const TITLE = document.title;
let named = ""; // the topic in the address
let number = 0; // of the question in this visit
let again; // what the button does after a question, or after one that failed

function say(words) {
  byId("said").textContent = words;
}

// The reply of the drill; undefined, and words on the page, if there is none or the learner is somewhere else now.
async function replied(given) {
  const [here, count] = [named, number];
  try {
    const reply = await ask("drill", { kept: standings(), ...given });
    if (here !== named || count !== number) return undefined;
    if (reply) return reply;
    fail(`This took more than ${LIMIT} seconds, so it was stopped.`);
  } catch (error) {
    if (here === named) fail(`The drill failed: ${error.message}`);
  }
  return undefined;
}

function fail(words) {
  say(words);
  offer("Try again", pose);
}

function offer(words, act) {
  again = act;
  byId("on").textContent = words;
  byId("on").hidden = false;
  byId("on").focus();
}

// Put HTML of the drill, which has no style, into an element; what scrolls can be scrolled by keys.
function fill(id, html) {
  byId(id).replaceChildren(...new DOMParser().parseFromString(html, "text/html").body.childNodes);
  for (const code of byId(id).querySelectorAll("pre")) code.tabIndex = 0;
}

function draw(picture) {
  byId("picture").replaceChildren(card(picture));
  byId("picture").hidden = false;
}

function clear() {
  for (const id of ["head", "picture", "asked", "choices", "told"]) byId(id).replaceChildren();
  byId("picture").hidden = true;
  byId("on").hidden = true;
}

async function pose() {
  number += 1;
  clear();
  say(number === 1 ? "Python is loading. Then the first question comes." : "The next question comes.");
  const topic = named === NEXT ? null : named;
  const reply = await replied({ ask: "question", topic, number });
  if (!reply) return;
  say("");
  fill("head", reply.head);
  draw(reply.picture);
  fill("asked", reply.asked);
  const buttons = reply.choices.map((choice) => Object.assign(text("button", choice, "plain"), { type: "button" }));
  buttons.forEach((button, chosen) => button.addEventListener("click", () => answer(reply.made, chosen, buttons)));
  byId("choices").replaceChildren(...buttons);
  Object.assign(byId("question").dataset, reply.made);
  if (number === 1) return;
  buttons[0].focus({ preventScroll: true });
  byId("head").scrollIntoView({ block: "start" });
}

// One answer counts.
async function answer(made, chosen, buttons) {
  if (buttons[0].ariaDisabled === "true") return;
  for (const button of buttons) button.ariaDisabled = "true";
  const reply = await replied({ ask: "answer", made, number, chosen });
  if (!reply) return;
  keepStanding(reply.topic, reply.standing);
  fill("head", reply.head);
  draw(reply.picture);
  for (const place of new Set([chosen, reply.right])) {
    buttons[place].textContent = reply.marked[place];
    buttons[place].classList.add(place === reply.right ? "right" : "wrong");
  }
  fill("told", reply.told);
  offer("Next question", pose);
}

async function showList() {
  startPython("drill").catch(() => {}); // while a topic is chosen
  if (!Object.keys(standings()).length) return;
  const found = (await replied({ ask: "standings" })) ?? {};
  for (const place of document.querySelectorAll("[data-mark]")) {
    const standing = found[place.dataset.mark];
    place.textContent = standing ? `${standing.mark} ${standing.summary}` : "";
  }
}

// the topic that the address names, or the list
function open() {
  const given = location.hash.slice(1);
  const link = byId(given)?.closest(".topics a");
  named = link ? given : "";
  byId("list").hidden = Boolean(named);
  byId("work").hidden = !named;
  document.title = named ? `Drill: ${link.textContent} · Stateful Streams` : TITLE;
  if (!named) return showList();
  byId("topic").textContent = link.textContent;
  number = 0;
  scrollTo(0, 0);
  byId("topic").focus({ preventScroll: true });
  pose();
}

byId("on").addEventListener("click", () => again());
offerFile(showList);
addEventListener("hashchange", open);
addEventListener("storage", () => named || showList());
open();
