// The buttons that save what is kept to a file, and load it from one.
import { loadFromFile, saveToFile } from "./kept.js";

const byId = (name) => document.getElementById(name);
const amount = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

// `loaded` is called after a file was loaded.
export function offerFile(loaded) {
  byId("save").addEventListener("click", saveToFile);
  byId("load").addEventListener("click", () => byId("file").click());
  byId("file").addEventListener("change", async () => {
    try {
      const { exercises, topics, predictions } = await loadFromFile(byId("file").files[0]);
      const drilled = `${amount(topics, "topic")} of the drill`;
      byId("loaded").textContent =
        `Loaded ${amount(exercises, "answer")}, ${drilled} and ${amount(predictions, "prediction")}.`;
    } catch {
      byId("loaded").textContent = "Not loaded: this file was not saved here.";
    }
    byId("file").value = "";
    loaded();
  });
}
