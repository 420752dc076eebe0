// HTML that the grader made, in a page whose policy allows no style of its own.
import { dark } from "./theme.js";

const FITTED = new CSSStyleSheet();
FITTED.replaceSync(
  ":host{--ss-ground:var(--paper)}.ss-verdict{max-width:none;font-size:15px}.ss-verdict pre{font-size:13px}" +
    ".ss-verdict .ss-words{font-size:15px}.ss-verdict summary{cursor:pointer;padding:.4em 0}.ss-verdict a{color:var(--blue)}" +
    "@media(max-width:30rem){.ss-verdict{padding:.6em .7em}}"
);

export function text(tag, words, name = "") {
  return Object.assign(document.createElement(tag), { textContent: words, className: name });
}

// HTML of the grader. The page's policy allows neither <style> nor style attributes, but a shadow's own style sheets.
// Text in this HTML is escaped, so that what is replaced here is never a learner's.
export function card(html) {
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
  setTheme(within);
  root.append(within);
  return host;
}

// Pictures in a card know a page's theme as that of JupyterLab.
function setTheme(within) {
  within.dataset.jpThemeLight = String(!dark());
}

addEventListener("theme", () => {
  for (const host of document.querySelectorAll(".card")) setTheme(host.shadowRoot.firstChild);
});
