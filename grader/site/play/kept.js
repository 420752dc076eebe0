// What a learner wrote, passed and drilled: kept in this browser, saved to a file and loaded from it.
// Its form: {version: 1, exercises: {"03.2": {code: "…", passed: true}}, drill: {"windows": …}}. A pass here is the
// model's, so it is no grade. The standing in a topic of the drill is what the lab's progress file has; Python reads it.
const NAME = "stateful-streams.play";
const VERSION = 1;
let kept = read();

function read() {
  try {
    return keptIn(setting(NAME));
  } catch {
    return { exercises: {}, drill: {} }; // nothing is kept yet
  }
}

function keptIn(text) {
  const found = JSON.parse(text);
  if (found?.version !== VERSION || typeof found.exercises !== "object") throw new Error("not saved by these pages");
  const right = (one) => typeof one?.code === "string" && typeof one.passed === "boolean";
  return { exercises: only(right, found.exercises), drill: only((one) => one?.answered > 0, found.drill ?? {}) };
}

function only(right, entries) {
  return Object.fromEntries(Object.entries(entries).filter(([, one]) => right(one)));
}

// What the browser keeps under a name; nothing in a browser that keeps nothing.
function setting(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

function keepSetting(name, value) {
  try {
    localStorage.setItem(name, value);
  } catch {
    // it lasts as long as the page
  }
}

const asText = () => JSON.stringify({ version: VERSION, ...kept }, null, 1);

// What another tab kept meanwhile is not lost.
function change(how) {
  if (setting(NAME)) kept = read();
  how(kept);
  keepSetting(NAME, asText());
}

export const codeOf = (exercise) => kept.exercises[exercise]?.code;
export const hasPassed = (exercise) => kept.exercises[exercise]?.passed ?? false;
export const standings = () => kept.drill;

export function keepCode(exercise, code) {
  change(({ exercises }) => (exercises[exercise] = { passed: false, ...exercises[exercise], code }));
}

export function keepPass(exercise, code) {
  change(({ exercises }) => (exercises[exercise] = { code, passed: true }));
}

export function keepStanding(topic, standing) {
  change(({ drill }) => (drill[topic] = standing));
}

// Offer all that is kept as a file.
export function saveToFile() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([asText()], { type: "application/json" }));
  link.download = "stateful-streams-answers.json";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// Take what such a file has, and return how much it is. What it does not have is left as it is, and so is the standing
// in a topic with more answers than the file has.
export async function loadFromFile(file) {
  const { exercises, drill } = keptIn(await file.text());
  change((here) => {
    for (const [exercise, { code, passed }] of Object.entries(exercises))
      here.exercises[exercise] = { code, passed: passed || hasPassed(exercise) };
    for (const [topic, standing] of Object.entries(drill))
      if (standing.answered >= (here.drill[topic]?.answered ?? 0)) here.drill[topic] = standing;
  });
  return { exercises: Object.keys(exercises).length, topics: Object.keys(drill).length };
}

// Two tabs: the one that is looked at knows what the other one kept.
addEventListener("storage", ({ key }) => {
  if (key === NAME) kept = read();
});
