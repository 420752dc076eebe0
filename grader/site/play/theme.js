// The choice between light and dark, and the button for it. All pages of the site keep the choice under the same names;
// the landing page has this file within it. After each change there is an event "theme".
const root = document.documentElement;
const button = document.getElementById("theme");
const prefersDark = matchMedia("(prefers-color-scheme: dark)");

export const dark = () => (root.dataset.theme || (prefersDark.matches ? "dark" : "light")) === "dark";

function kept() {
  try {
    return localStorage.getItem("mode");
  } catch {
    return ""; // this browser keeps nothing: a choice lasts as long as the page
  }
}

function keep(mode) {
  try {
    for (const name of ["mode", "theme"]) localStorage.setItem(name, mode);
  } catch {
    // as above
  }
}

function show(mode) {
  if (["light", "dark"].includes(mode)) root.dataset.theme = mode;
  button.setAttribute("aria-label", `Use ${dark() ? "light" : "dark"} colors`);
  dispatchEvent(new Event("theme"));
}

show(kept());
prefersDark.addEventListener("change", () => show());
button.hidden = false;
button.addEventListener("click", () => {
  const mode = dark() ? "light" : "dark";
  show(mode);
  keep(mode);
});
