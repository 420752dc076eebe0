"use strict";
const here = document.currentScript.src;
// A picture that is wider than the page scrolls; with the keyboard it can only if it takes the focus.
document.addEventListener("DOMContentLoaded", () => {
  for (const picture of document.querySelectorAll('.bd-article p > img[src$=".svg"]')) {
    picture.parentElement.tabIndex = 0;
  }
  // Runs among the outputs know a page's theme as that of JupyterLab.
  const root = document.documentElement;
  const follow = () => (document.body.dataset.jpThemeLight = String(root.dataset.theme !== "dark"));
  new MutationObserver(follow).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
  follow();
  if (document.querySelector(".predict")) import(new URL("predictions.js", here));
});
