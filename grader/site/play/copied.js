// Buttons that copy: a command, or the answer as it is in the editor.
export function offerCopies(answer) {
  for (const button of document.querySelectorAll("[data-copies]"))
    button.addEventListener("click", async () => {
      const { copies } = button.dataset;
      const said = button.nextElementSibling;
      try {
        await navigator.clipboard.writeText(copies === "answer" ? answer() : copies);
        said.textContent = "Copied.";
      } catch {
        said.textContent = "The browser does not let this page copy."; // such as on a server without https
      }
    });
}
