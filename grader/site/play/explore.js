// The page with explorers: its list, and the board of the one example that its address names, redrawn after each change.
import { card, text } from "./card.js";
import { ask, LIMIT, startPython } from "./python.js";

const byId = (name) => document.getElementById(name);
const TITLE = document.title;
const FEW = 3; // choices that are shown side by side
let example = "";
let board; // as it was replied last
let asking = false;
let ahead = []; // requests that wait

function say(words) {
  byId("said").textContent = words;
}

// Requests go one after the other. What a slider passes on its way is left out.
function request(given) {
  const before = ahead.at(-1);
  if (before && given.change?.[0] === before.change?.[0] && given.slider && given.slider === before.slider) ahead.pop();
  ahead.push(given);
  if (!asking) answerAll();
}

async function answerAll() {
  asking = true;
  while (ahead.length) {
    const { slider, ...given } = ahead.shift();
    const here = example;
    try {
      const reply = await ask("explorer", { example, both: byId("both").checked, ...given });
      if (here !== example) continue;
      if (!reply) throw new Error(`this took more than ${LIMIT} seconds and was stopped`);
      show(reply);
    } catch (error) {
      if (here === example) fail(error);
    }
  }
  asking = false;
}

function fail(error) {
  ahead = [];
  byId("board").hidden = true;
  byId("retry").hidden = false;
  say(`The explorer failed: ${error.message}.`);
  byId("retry").focus();
}

function show(reply) {
  board = reply;
  say("");
  byId("board").hidden = false;
  byId("code").textContent = board.code.trim();
  byId("picture").replaceChildren(card(board.picture));
  if (board.said.length) byId("changes").replaceChildren(...board.said.map((line) => text("p", line)));
  byId("both-label").hidden = !board.has_both;
  if (ahead.length) return; // the controls are ahead of the board
  showKnobs();
  showEvents();
}

// A knob keeps its control, and with it the focus, as long as the query has the knob.
function showKnobs() {
  const there = [...byId("knobs").children].map((knob) => knob.dataset.knob);
  if (there.join() !== board.knobs.map(({ name }) => name).join()) byId("knobs").replaceChildren(...board.knobs.map(makeKnob));
  board.knobs.forEach((knob, place) => byId("knobs").children[place].set(knob));
}

const makeKnob = (knob) => (knob.choices.length > FEW ? slider(knob) : switches(knob));

function slider({ name, label }) {
  const row = text("p", "", "knob");
  const input = Object.assign(document.createElement("input"), { type: "range", id: `knob-${name}`, min: 0 });
  const now = document.createElement("output");
  let choices;
  const tell = () => (input.ariaValueText = now.textContent = choices[input.value]);
  input.addEventListener("input", () => {
    tell();
    request({ change: ["turn", name, choices[input.value]], slider: name });
  });
  row.append(Object.assign(text("label", label), { htmlFor: input.id }), input, now);
  row.dataset.knob = name;
  row.set = (knob) => {
    choices = knob.choices;
    input.max = choices.length - 1;
    input.value = choices.indexOf(knob.value);
    tell();
  };
  return row;
}

function switches({ name, label }) {
  const row = text("fieldset", "", "knob");
  row.append(text("legend", label));
  row.dataset.knob = name;
  row.set = ({ choices, value }) => {
    if (choices.join() !== [...row.querySelectorAll("input")].map((input) => input.value).join())
      row.replaceChildren(row.firstChild, ...choices.map((choice) => switchOf(name, choice)));
    for (const input of row.querySelectorAll("input")) input.checked = input.value === value;
  };
  return row;
}

function switchOf(name, choice) {
  const input = Object.assign(document.createElement("input"), { type: "radio", name: `knob-${name}`, value: choice });
  input.addEventListener("change", () => request({ change: ["turn", name, choice] }));
  const label = document.createElement("label");
  label.append(input, ` ${choice}`);
  return label;
}

const chosen = () => Number(byId("event").value);

function showEvents() {
  const before = board.added ?? chosen();
  byId("event").replaceChildren(...board.events.map(({ name, number }) => new Option(name, number)));
  if (board.events.some(({ number }) => number === before)) byId("event").value = before;
  byId("step").max = board.steps;
  showStep();
}

function showStep() {
  const step = board.events.find(({ number }) => number === chosen()).step;
  byId("step").value = step;
  byId("step-now").textContent = step;
}

function begin() {
  byId("retry").hidden = true;
  ahead = [];
  request({ again: true });
}

// the example that the address names, or the list
function open() {
  const link = byId(location.hash.slice(1))?.closest(".topics a");
  example = link ? link.id : "";
  byId("list").hidden = Boolean(example);
  byId("work").hidden = !example;
  document.title = example ? `Explore ${link.textContent} · Stateful Streams` : TITLE;
  startPython("explorer").catch(() => {}); // while an example is chosen
  if (!example) return;
  byId("example").textContent = link.textContent;
  byId("lesson").href = link.dataset.lesson;
  byId("in-lab").textContent = `grader.explore("${example}")`;
  byId("board").hidden = true;
  byId("both").checked = false;
  say("Python is loading. Then the picture comes.");
  scrollTo(0, 0);
  byId("example").focus({ preventScroll: true });
  begin();
}

byId("both").addEventListener("change", () => request({}));
byId("event").addEventListener("change", showStep);
byId("step").addEventListener("input", () => {
  byId("step-now").textContent = byId("step").value;
  request({ change: ["move", chosen(), Number(byId("step").value)], slider: "step" });
});
for (const button of document.querySelectorAll("[data-shift]"))
  button.addEventListener("click", () => request({ change: ["shift", chosen(), Number(button.dataset.shift)] }));
byId("add").addEventListener("click", () => request({ change: ["add", chosen()] }));
byId("remove").addEventListener("click", () => request({ change: ["remove", chosen()] }));
byId("again").addEventListener("click", begin);
byId("retry").addEventListener("click", begin);
addEventListener("hashchange", open);
open();
