// The page that drills: its topics, and one question after the other on the topic that its address names. One of them is
// the placement test, which ends with its advice.
import { card, text } from "./card.js";
import { keepStanding, placement, standings } from "./kept.js";
import { offerFile } from "./kept_file.js";
import { placementTest } from "./placement.js";
import { ask, LIMIT, startPython } from "./python.js";

const byId = (name) => document.getElementById(name);
// in the address: the topic that is next for the learner, and the placement test
const NEXT = "next";
const PLACEMENT = "placement";
const TITLE = document.title;
let named = ""; // the topic in the address
let number = 0; // of the question in this visit
let sitting; // what is asked, and what is kept of the answers
let again; // what the button does after a question, or after one that failed

const drill = (topic) => ({
  asks: (number) => ({ ask: "question", topic, number, kept: standings() }),
  answers: (made, number, chosen) => ({ ask: "answer", made, number, chosen, kept: standings() }),
  keep: (reply) => keepStanding(reply.topic, reply.standing),
});

function say(words) {
  byId("said").textContent = words;
}

// The reply of the drill; undefined if the learner is somewhere else now, or if there is none. Then words on the page say
// so, and `retry` can be tried.
async function replied(given, retry = pose) {
  const [here, count] = [named, number];
  try {
    const reply = await ask("drill", given);
    if (here !== named || count !== number) return undefined;
    if (reply) return reply;
    fail(`This took more than ${LIMIT} seconds, so it was stopped.`, retry);
  } catch (error) {
    if (here === named) fail(`The drill failed: ${error.message}`, retry);
  }
  return undefined;
}

function fail(words, retry) {
  say(words);
  offer("Try again", retry);
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
  for (const id of ["picture", "on", "end"]) byId(id).hidden = true;
}

async function pose() {
  number += 1;
  clear();
  say(number === 1 ? "Python is loading. Then the first question comes." : "The next question comes.");
  const reply = await replied(sitting.asks(number));
  if (!reply) return;
  say("");
  byId("end").hidden = !sitting.advises;
  fill("head", reply.head);
  if (reply.picture) draw(reply.picture);
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
  const reply = await replied(sitting.answers(made, number, chosen));
  if (!reply) return;
  sitting.keep(reply);
  if (reply.head) fill("head", reply.head);
  if (reply.picture) draw(reply.picture);
  for (const place of new Set([chosen, reply.right])) {
    buttons[place].textContent = reply.marked[place];
    buttons[place].classList.add(place === reply.right ? "right" : "wrong");
  }
  fill("told", reply.told);
  if (reply.last) offer("The advice", advise);
  else offer("Next question", pose);
}

async function advise() {
  number += 1; // a question that is still made is not shown
  clear();
  const reply = await replied(sitting.advises(), advise);
  if (!reply) return;
  say("");
  fill("told", reply.told);
  byId("told").focus();
}

async function showList() {
  startPython("drill").catch(() => {}); // while a topic is chosen
  if (!Object.keys(standings()).length && !placement()) return;
  const found = await replied({ ask: "standings", kept: standings(), placement: placement() });
  for (const place of document.querySelectorAll("[data-mark]"))
    place.textContent = found?.topics[place.dataset.mark] ?? "";
  byId("placed").textContent = found?.placement ?? "";
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
  sitting = named === PLACEMENT ? placementTest() : drill(named === NEXT ? null : named);
  scrollTo(0, 0);
  byId("topic").focus({ preventScroll: true });
  pose();
}

byId("on").addEventListener("click", () => again());
byId("end").addEventListener("click", advise);
offerFile(showList);
addEventListener("hashchange", open);
addEventListener("storage", () => named || showList());
open();
