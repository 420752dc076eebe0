// The page in which exercises are written: its list, and the one exercise that its address names.
import { text } from "./card.js";
import { offerCopies } from "./copied.js";
import { makeEditor } from "./editor.js";
import { codeOf, hasPassed, keepCode, keepPass } from "./kept.js";
import { offerFile } from "./kept_file.js";
import { judged, startPython } from "./python.js";
import { verdictOf } from "./verdict.js";

const byId = (name) => document.getElementById(name);
const exercises = JSON.parse(byId("data").textContent);
const TITLE = document.title;
const shownHints = {};
const before = {}; // the answers in whose place "Start again" put the task's cell
let current = "";
let running = false; // a check

const editor = makeEditor(byId("editor"), {
  label: "Your answer",
  changed: () => {
    keepCode(current, editor.code);
    nameAgain();
  },
  submit: () => byId("form").requestSubmit(),
});

// A button that may not be used keeps the focus: a disabled one would lose it, and a keyboard its place.
function allow(name, may) {
  byId(name).setAttribute("aria-disabled", String(!may));
}

function say(words) {
  byId("said").textContent = words;
}

function clearVerdict() {
  byId("verdict").replaceChildren();
  byId("verdict").dataset.status = "";
}

async function load() {
  say("Python is loading. You can read and write meanwhile.");
  try {
    await startPython("page");
    if (!running) say("Python is ready.");
  } catch (error) {
    say(`Python did not load: ${error.message}`);
  }
}

async function check() {
  const [exercise, code] = [current, editor.code];
  running = true;
  allow("check", false);
  clearVerdict();
  say("Python is loading. Then your answer runs.");
  try {
    await startPython("page");
    say("Your answer runs.");
    const [status, summary, ...shown] = verdictOf(await judged(exercise, code));
    if (status === "passed") keepPass(exercise, code);
    if (exercise !== current) return;
    show(status, summary, shown);
  } catch (error) {
    say(`The page failed: ${error.message}`);
  } finally {
    running = false;
    allow("check", true);
  }
}

function show(status, summary, shown) {
  byId("verdict").replaceChildren(...shown);
  byId("verdict").dataset.status = status;
  const next = Object.keys(exercises)[Object.keys(exercises).indexOf(current) + 1];
  if (status === "passed" && next) {
    const link = Object.assign(text("a", `${next} ${exercises[next].title}`), { href: `#${next}` });
    const line = text("p", "Next exercise: ");
    line.append(link);
    byId("verdict").append(line);
  }
  say(summary);
  byId("verdict").scrollIntoView({ block: "start" });
}

// a hint, whose code is between backticks
function hintItem(hint) {
  const item = document.createElement("li");
  item.append(...hint.split("`").map((part, place) => text(place % 2 ? "code" : "span", part)));
  return item;
}

function showHints() {
  const all = exercises[current].hints;
  const hints = all.slice(0, shownHints[current] ?? 0);
  byId("hints").replaceChildren(...hints.map(hintItem));
  allow("hint", hints.length < all.length);
  byId("hint").textContent = hints.length ? `Hint ${Math.min(hints.length + 1, all.length)} of ${all.length}` : "Hint";
}

// "Start again", or the way back from it
function nameAgain() {
  const restores = current in before && editor.code === exercises[current].cell;
  byId("again").textContent = restores ? "Back to my answer" : "Start again";
}

function startAgain() {
  const { cell } = exercises[current];
  const code = editor.code;
  if (code === cell && current in before) editor.replace(before[current]);
  else if (code !== cell) {
    before[current] = code;
    editor.replace(cell);
  }
  nameAgain();
}

function showList() {
  const passed = Object.keys(exercises).filter(hasPassed);
  for (const mark of document.querySelectorAll("[data-mark]")) {
    const id = mark.dataset.mark;
    mark.textContent = hasPassed(id) ? "✓ passed" : codeOf(id) === undefined ? "" : "begun";
  }
  byId("passed").textContent = passed.length ? `You have passed ${passed.length} of ${Object.keys(exercises).length}.` : "";
}

// the exercise that the address names, or the list
function open() {
  const named = location.hash.slice(1);
  const moved = current;
  current = Object.hasOwn(exercises, named) ? named : "";
  byId("list").hidden = Boolean(current);
  byId("work").hidden = !current;
  document.title = current ? `${current} ${exercises[current].title} · Stateful Streams` : TITLE;
  if (!current) return showList();
  load(); // while the task is read
  for (const task of byId("tasks").children) task.hidden = task.dataset.exercise !== current;
  editor.open(codeOf(current) ?? exercises[current].cell);
  clearVerdict();
  showHints();
  nameAgain();
  scrollTo(0, 0);
  if (moved) byId("tasks").focus({ preventScroll: true });
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (!running) check();
});
byId("hint").addEventListener("click", () => {
  shownHints[current] = (shownHints[current] ?? 0) + 1;
  showHints();
});
byId("again").addEventListener("click", startAgain);
offerFile(showList);
offerCopies(() => editor.code);

addEventListener("hashchange", open);
addEventListener("storage", () => current || showList());
open();
