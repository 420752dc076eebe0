// The questions before a run. A reader predicts, and then sees what the lab says of it, and what the run showed.
import { keepPrediction, predictionsOf } from "../play/kept.js";

// A number as it is; hours, minutes and seconds as seconds.
const valueOf = (text) => text.split(":").reduce((sum, part) => 60 * sum + Number(part), 0);

function reply(question, text) {
  const replies = question.querySelector("template").content;
  const known = replies.querySelector(`[data-value="${valueOf(text)}"]`);
  const said = (known ?? replies.lastElementChild).cloneNode(true);
  if (!known) said.querySelector("span").textContent = text;
  question.querySelector(".reply").replaceChildren(said);
  const right = question.dataset.right === String(valueOf(text));
  question.classList.toggle("right", right);
  question.classList.toggle("wrong", !right);
  question.querySelector("details").hidden = right; // the reply has said all of it
}

// Show what the reader has predicted, and cover what the run showed as long as a question is open.
function offer(predict) {
  const { exercise } = predict.dataset;
  const questions = [...predict.querySelectorAll(".question")];
  const covered = predict.querySelector(".covered");
  const open = () => questions.some((one) => !(one.dataset.name in predictionsOf(exercise)));
  const follow = () => predict.classList.toggle("covers", Boolean(covered) && open());
  for (const question of questions) {
    const form = question.querySelector("form");
    const input = form.querySelector("input");
    const first = predictionsOf(exercise)[question.dataset.name];
    question.querySelector("details").hidden = true;
    form.hidden = false;
    if (first !== undefined) reply(question, (input.value = first));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      keepPrediction(exercise, question.dataset.name, input.value);
      reply(question, input.value);
      follow();
    });
  }
  covered?.querySelector("button").addEventListener("click", () => {
    predict.classList.remove("covers");
    predict.focus({ preventScroll: true });
  });
  follow();
}

document.querySelectorAll(".predict").forEach(offer);
