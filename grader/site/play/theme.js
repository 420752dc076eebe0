// The choice between light and dark, shared with the other pages, which keep it under these names.
import { setCardTheme } from "./card.js";
import { keepSetting, setting } from "./kept.js";

const root = document.documentElement;
const button = document.getElementById("theme");
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

export const dark = () => (root.dataset.theme || (prefersDark.matches ? "dark" : "light")) === "dark";

function setTheme(mode) {
  if (mode) root.dataset.theme = mode;
  button.setAttribute("aria-label", `Use ${dark() ? "light" : "dark"} colors`);
  setCardTheme(dark());
}

const mode = setting("mode");
setTheme(["light", "dark"].includes(mode) ? mode : "");
prefersDark.addEventListener("change", () => setTheme(""));
button.hidden = false;
button.addEventListener("click", () => {
  const chosen = dark() ? "light" : "dark";
  setTheme(chosen);
  keepSetting("mode", chosen);
  keepSetting("theme", chosen);
});
