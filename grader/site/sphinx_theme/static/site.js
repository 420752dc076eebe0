"use strict";
// A picture that is wider than the page scrolls; with the keyboard it can only if it takes the focus.
document.addEventListener("DOMContentLoaded", () => {
  for (const picture of document.querySelectorAll('.bd-article p > img[src$=".svg"]')) {
    picture.parentElement.tabIndex = 0;
  }
});
