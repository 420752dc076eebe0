// What a learner wrote, passed, drilled and predicted: kept in this browser, saved to a file and loaded from it.
// Its form: {version: 1, exercises: {"03.2": {code: "…", passed: true}}, drill: {"windows": …}, placement: {when: "…",
// answers: [["00", true]]}, predictions: {"03.0": {rows: "1"}}}. A pass here is the model's, so it is no grade. The
// standing in a topic of the drill and the placement test are what the lab's progress file has; Python reads them.
const NAME = "stateful-streams.play";
const VERSION = 1;
let kept = read();

function read() {
  try {
    return keptIn(setting(NAME));
  } catch {
    return { exercises: {}, drill: {}, placement: null, predictions: {} }; // nothing is kept yet
  }
}

function keptIn(text) {
  const found = JSON.parse(text);
  if (found?.version !== VERSION || typeof found.exercises !== "object") throw new Error("not saved by these pages");
  const right = (one) => typeof one?.code === "string" && typeof one.passed === "boolean";
  const texts = (one) => one && Object.values(one).every((text) => typeof text === "string");
  return {
    exercises: only(right, found.exercises),
    drill: only((one) => one?.answered > 0, found.drill ?? {}),
    placement: typeof found.placement?.when === "string" ? found.placement : null,
    predictions: only(texts, found.predictions ?? {}),
  };
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
export const placement = () => kept.placement;
export const predictionsOf = (exercise) => kept.predictions[exercise] ?? {};

export function keepCode(exercise, code) {
  change(({ exercises }) => (exercises[exercise] = { passed: false, ...exercises[exercise], code }));
}

export function keepPass(exercise, code) {
  change(({ exercises }) => (exercises[exercise] = { code, passed: true }));
}

export function keepStanding(topic, standing) {
  change(({ drill }) => (drill[topic] = standing));
}

export function keepPlacement(test) {
  change((here) => (here.placement = test));
}

// The first prediction counts, as in the lab.
export function keepPrediction(exercise, name, text) {
  change(({ predictions }) => (predictions[exercise] = { [name]: text, ...predictions[exercise] }));
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
// in a topic with more answers than the file has. Of two placement tests the later one is kept.
export async function loadFromFile(file) {
  const { exercises, drill, placement, predictions } = keptIn(await file.text());
  change((here) => {
    for (const [exercise, { code, passed }] of Object.entries(exercises))
      here.exercises[exercise] = { code, passed: passed || hasPassed(exercise) };
    for (const [topic, standing] of Object.entries(drill))
      if (standing.answered >= (here.drill[topic]?.answered ?? 0)) here.drill[topic] = standing;
    if (placement && placement.when >= (here.placement?.when ?? "")) here.placement = placement;
    for (const [exercise, made] of Object.entries(predictions))
      here.predictions[exercise] = { ...made, ...here.predictions[exercise] };
  });
  const count = (entries) => Object.keys(entries).length;
  const made = Object.values(predictions).map(count);
  return {
    exercises: count(exercises),
    topics: count(drill),
    predictions: made.reduce((sum, one) => sum + one, 0),
  };
}

// Two tabs: the one that is looked at knows what the other one kept.
addEventListener("storage", ({ key }) => {
  if (key === NAME) kept = read();
});
