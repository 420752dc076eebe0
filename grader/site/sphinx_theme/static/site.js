"use strict";
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
  // In the list of versions, addresses are relative to the site's root: a site works wherever it is served.
  const site = new URL(root.dataset.content_root, location.href);
  const complete = ({ parentElement: list }) => {
    for (const link of list.querySelectorAll("a")) link.href = new URL(link.getAttribute("href"), site);
    const button = list.querySelector("button");
    button.ariaLabel = `Version ${button.textContent.trim()}`; // its name has the words that it shows
  };
  for (const menu of document.querySelectorAll(".version-switcher__menu")) {
    new MutationObserver(() => complete(menu)).observe(menu, { childList: true });
  }
  if (document.querySelector(".predict")) import(new URL("_static/predictions.js", site));
});
