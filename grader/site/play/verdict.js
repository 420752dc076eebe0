// What is shown of a reply: the grader's card, or why there is none.
import { card, text } from "./card.js";
import { LIMIT } from "./python.js";

const SAID = { passed: "Passed.", failed: "Not passed.", error: "Not passed: an error.", not_attempted: "Not attempted." };

// What an answer printed, for those who look for a fault in this way.
function printed(words) {
  const shown = document.createElement("details");
  const output = text("pre", words);
  output.tabIndex = 0;
  shown.append(text("summary", "What your answer printed, in all runs of this check"), output);
  return shown;
}

// The status of a reply, its summary in a sentence, and the nodes that show it.
export function verdictOf(reply) {
  if (!reply) {
    const words = `Your answer did not end within ${LIMIT} seconds, so it was stopped. Is there a loop without an end?`;
    return ["timeout", "Timed out.", text("p", words)];
  }
  const output = reply.printed ? [printed(reply.printed)] : [];
  if (reply.status === "only_lab")
    return ["only_lab", "Not judged.", text("p", `Only the lab can judge this: ${reply.only_lab}`), ...output];
  const model = text("div", "", "model");
  model.append(text("p", "Judged by the model, not by Spark: not a grade."), ...reply.not_played.map((line) => text("p", line)));
  return [reply.status, SAID[reply.status] ?? "Checked.", card(reply.html), ...output, model];
}
