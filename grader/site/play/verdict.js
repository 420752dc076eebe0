// What is shown of a reply: the grader's card, or why there is none.
import { LIMIT } from "./python.js";

const SAID = { passed: "Passed.", failed: "Not passed.", error: "Not passed: an error.", not_attempted: "Not attempted." };
const FITTED = new CSSStyleSheet();
FITTED.replaceSync(
  ".ss-verdict{max-width:none;font-size:15px;--ss-ground:var(--paper)}.ss-verdict pre{font-size:13px}" +
    ".ss-verdict .ss-words{font-size:15px}.ss-verdict summary{cursor:pointer;padding:.4em 0}.ss-verdict a{color:var(--blue)}" +
    "@media(max-width:30rem){.ss-verdict{padding:.6em .7em}}"
);

export function text(tag, words, name = "") {
  return Object.assign(document.createElement(tag), { textContent: words, className: name });
}

// HTML of the grader. The page's policy allows neither <style> nor style attributes, but a shadow's own style sheets.
// Text in this HTML is escaped, so that what is replaced here is never a learner's.
function card(html) {
  const host = text("div", "", "card");
  const root = host.attachShadow({ mode: "open" });
  const renamed = html.replaceAll(/<(\/?)style>/g, "<$1data-style>").replaceAll(' style="', ' data-style="');
  const parsed = new DOMParser().parseFromString(renamed, "text/html");
  const sheets = [...parsed.querySelectorAll("data-style")].map((style) => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(style.textContent);
    style.remove();
    return sheet;
  });
  root.adoptedStyleSheets = [...sheets, FITTED];
  const within = document.createElement("div");
  within.append(...parsed.body.childNodes);
  for (const node of within.querySelectorAll("[data-style]")) node.style.cssText = node.dataset.style;
  root.append(within);
  return host;
}

// Pictures in a card know a page's theme as that of JupyterLab.
export function setCardTheme(dark) {
  for (const host of document.querySelectorAll(".card")) host.shadowRoot.firstChild.dataset.jpThemeLight = String(!dark);
}

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
