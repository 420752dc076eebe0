"use strict";
// All figures are from the model of Spark (grader/site/first_minute.py). The one rule here is the definition of the
// watermark: the newest event time so far, minus the delay.
const data = JSON.parse(document.getElementById("data").textContent);
const { clicks, newest, outcomes, slider, scale } = data;
const byId = (id) => document.getElementById(id);
const dots = [...document.querySelectorAll(".click")];
const markers = [...document.querySelectorAll(".mark")];
const last = newest.length;

const clock = (second) => new Date(second * 1000).toISOString().slice(11, 19);
const short = (second) => clock(second).slice(0, 5);
const count = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
const span = (one) => `${short(one.start)}–${short(one.end)}`;
const outcomeOf = (delay) => outcomes.find((one) => one.least <= delay && delay <= one.most);

function lengthText(seconds) {
  if (seconds === 0) return "0 seconds";
  const units = [["week", 604800], ["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];
  const parts = [];
  for (const [unit, size] of units) {
    const number = Math.floor(seconds / size);
    if (number) parts.push(count(number, unit));
    seconds -= number * size;
  }
  return parts.join(" ");
}

// where a time is on the picture, in percent of its width
function place(second) {
  const at = Math.min(Math.max(second, scale[0][0]), scale[scale.length - 1][0]);
  const next = scale.findIndex(([time]) => at <= time) || 1;
  const [[t0, x0], [t1, x1]] = [scale[next - 1], scale[next]];
  return x0 + ((at - t0) / (t1 - t0)) * (x1 - x0);
}

function draw(delay) {
  const outcome = outcomeOf(delay);
  const marks = newest.map((time) => time - delay);
  const stairs = ["M0,1"];
  marks.forEach((mark, index) => stairs.push(`H${place(mark)}`, `V${Math.min(index + 2, last)}`));
  byId("stairs").setAttribute("d", stairs.join(""));
  byId("late").setAttribute("d", `${stairs.join("")}V${last}H0Z`);
  byId("windows").replaceChildren(...outcome.counts.map(bar));
  dots.forEach((dot, index) => {
    const dropped = outcome.dropped.includes(index);
    dot.classList.remove("asking");
    dot.classList.toggle("dropped", dropped);
    dot.querySelector(".fate").textContent = dropped ? ", dropped" : ", counted";
  });
  markers.forEach((node, index) => {
    node.textContent = `watermark ${clockOf(marks[index])}`;
    node.style.setProperty("--x", `${place(marks[index])}%`);
  });
  byId("said").textContent = told(outcome, delay);
}

// of a watermark, which a long delay puts on a day before
const clockOf = (second) => (second < 0 ? "of a day before" : clock(second));

function bar(one) {
  const node = document.createElement("div");
  const until = one.emitted ?? last;
  node.className = one.emitted ? "window" : "window open";
  const set = (name, value) => node.style.setProperty(name, value);
  set("--x", `${place(one.start)}%`);
  set("--w", `${place(one.end) - place(one.start)}%`);
  set("--top", `${((one.opened - 1) * 100) / last}%`);
  set("--h", `${((until - one.opened + 1) * 100) / last}%`);
  if (one.emitted) node.append(Object.assign(document.createElement("span"), { textContent: `count ${one.clicks}` }));
  return node;
}

// the picture in words
function told(outcome, delay) {
  const lost = outcome.dropped.map((index) => clock(clicks[index].at));
  const counts = outcome.counts.map((one) =>
    one.emitted
      ? `The count of ${span(one)} is ${one.clicks}; Spark emits it in step ${one.emitted}.`
      : `The count of ${span(one)} is not emitted yet.`
  );
  const marks = newest.map((time, index) => `${clockOf(time - delay)} after step ${index + 1}`);
  return [
    `With a delay of ${lengthText(delay)}, the watermark is ${marks.join(", ")}.`,
    ...counts,
    lost.length ? `Spark drops ${lost.join(" and ")}.` : "Spark drops no click.",
  ].join(" ");
}

// why a click is dropped, as three sentences
function reasons(index, delay, outcome) {
  const click = clicks[index];
  const before = newest[click.step - 2];
  const mark = before - delay;
  const one = outcome.counts.find(({ start, end }) => start <= click.at && click.at < end);
  const closed = mark === one.end ? "The watermark is exactly its end. That closes the window, too." : "The watermark is past its end, so the window has closed.";
  return [
    `After step ${click.step - 1}, the newest click is ${clock(before)}. Minus the delay of ${lengthText(delay)}, the watermark is ${clock(mark)}.`,
    `The click of ${clock(click.at)} belongs to the window ${span(one)}. ${closed}`,
    `Spark emitted the count of this window, ${one.clicks}, in step ${one.emitted}. The click arrives in step ${click.step}, so Spark drops it.`,
  ];
}

// a click that is older than the watermark, and counted
function lateButCounted(delay, outcome) {
  const index = clicks.findIndex(
    ({ at, step }, place) => step > 1 && at < newest[step - 2] - delay && !outcome.dropped.includes(place)
  );
  if (index < 0) return "";
  const { at, step } = clicks[index];
  return `Being late is not enough. The click of ${clock(at)} in step ${step} was older than the watermark too, ${clock(
    newest[step - 2] - delay
  )}. But its window was still open, so it is counted.`;
}

function paragraph(text, tag = "p") {
  return Object.assign(document.createElement(tag), { textContent: text });
}

function answer(predicted) {
  const outcome = outcomeOf(data.delay);
  const right = (predicted === "dropped") === outcome.dropped.includes(data.question);
  const time = clock(clicks[data.question].at);
  document.body.classList.add("answered");
  document.querySelectorAll("[data-predict]").forEach((button) => {
    button.setAttribute("aria-pressed", button.dataset.predict === predicted);
    button.disabled = true;
  });
  byId("after").hidden = false;
  byId("answer").classList.toggle("right", right);
  byId("verdict").textContent = right
    ? `✓ You predicted it: Spark drops the click of ${time}.`
    : `✗ You predicted “counted”. Spark drops the click of ${time}.`;
  byId("because").replaceChildren(...reasons(data.question, data.delay, outcome).map((text) => paragraph(text, "li")));
  byId("contrast").textContent = lateButCounted(data.delay, outcome);
  show(data.delay);
  byId("answer").focus({ preventScroll: true });
}

function show(delay) {
  const outcome = outcomeOf(delay);
  draw(delay);
  const nearest = slider.reduce((one, other) => (Math.abs(other - delay) < Math.abs(one - delay) ? other : one));
  byId("delay").value = slider.indexOf(nearest);
  byId("delay").setAttribute("aria-valuetext", lengthText(delay));
  byId("delay-text").textContent = lengthText(delay);
  byId("dropped").textContent = outcome.dropped.length;
  byId("first").textContent = outcome.first ? `step ${outcome.first}` : "not yet";
  byId("rows").textContent = outcome.most_rows;
}

// a delay as this page reads it, in seconds; undefined for any other text
function secondsOf(text) {
  const sizes = { second: 1, minute: 60, hour: 3600, day: 86400, week: 604800 };
  const part = /^(\d{1,7})\s+(second|minute|hour|day|week)s?(?:\s+|$)/i;
  let rest = text.trim();
  let total = 0;
  if (!rest) return undefined;
  while (rest) {
    const found = part.exec(rest);
    if (!found) return undefined;
    total += Number(found[1]) * sizes[found[2].toLowerCase()];
    rest = rest.slice(found[0].length);
  }
  return total;
}

function verdict(text) {
  const seconds = secondsOf(text);
  const best = outcomes[data.best];
  if (!text.trim()) return ["unknown", "The delay is missing.", "Write a number and a unit, such as 90 seconds."];
  if (seconds === undefined)
    return [
      "unknown",
      `This page cannot judge “${text.trim()}”.`,
      "It reads a number and a unit, such as 90 seconds or 20 minutes. What Spark says of this text, only Spark knows.",
    ];
  const outcome = outcomeOf(seconds);
  if (!outcome) return ["unknown", "This page has played delays of up to a week.", "Spark accepts longer delays; the lab can run them."];
  show(seconds);
  if (outcome === best)
    return [
      "right",
      `✓ Right. Spark drops no click, and emits the first count in step ${outcome.first}.`,
      `Every delay longer than ${lengthText(best.least - 1)} and not longer than ${lengthText(best.most)} does that.`,
    ];
  if (outcome.dropped.length) {
    const index = outcome.dropped[outcome.dropped.length - 1];
    return ["wrong", `✗ Not yet. Spark drops ${count(outcome.dropped.length, "click")}.`, ...reasons(index, seconds, outcome)];
  }
  const late = outcome.first ? `in step ${outcome.first}, and step ${best.first} is possible` : "in none of the five steps";
  const idea =
    seconds === data.window
      ? "This delay is as long as a window. But the delay says how late a click may be, whatever the length of a window is."
      : "A shorter delay drops no click either. Try one.";
  return ["wrong", `✗ Not yet. Spark drops no click. But it emits the first count ${late}.`, idea];
}

document.querySelectorAll("[data-predict]").forEach((button) => {
  button.addEventListener("click", () => answer(button.dataset.predict));
});
byId("delay").addEventListener("input", (event) => show(slider[event.target.value]));
byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  const [kind, ...lines] = verdict(byId("blank").value);
  const box = Object.assign(document.createElement("div"), { className: kind });
  box.append(...lines.map((line) => paragraph(line)));
  box.firstChild.style.fontWeight = "650";
  byId("checked").replaceChildren(box);
});
