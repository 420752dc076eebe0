// A placement test: what the page asks of its Python, which gets the seed and the choices so far.
import { keepPlacement } from "./kept.js";

// The lessons of the page, and where they are, for the advice.
const { lessons, folder } = JSON.parse(document.getElementById("data").textContent);

export function placementTest() {
  const test = { seed: null, chosen: [] };
  return {
    asks: () => ({ ask: "placement_question", ...test }),
    answers({ seed }, _number, chosen) {
      test.seed = seed;
      test.chosen.push(chosen);
      return { ask: "placement_answer", ...test };
    },
    keep: ({ placement }) => keepPlacement(placement), // at once, as in the lab
    advises: () => ({ ask: "placement_advice", ...test, lessons, folder }),
  };
}
