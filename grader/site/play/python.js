// The Python of the page. It runs in a worker; an answer that does not end is ended with the worker.
export const LIMIT = 10; // seconds that a check may take; the worker's start does not count

// one worker at a time: {worker, ready: a promise}
let python;

// Start Python unless it runs; the promise is kept when it can answer.
export function startPython() {
  python ??= started();
  return python.ready;
}

function started() {
  const worker = new Worker("worker.js", { type: "module" });
  const ready = new Promise((resolve, reject) => {
    worker.addEventListener("message", ({ data }) => {
      if (data.ready) resolve();
      else if (data.failed && !data.number) reject(new Error(data.failed));
    });
    worker.addEventListener("error", () => reject(new Error("The Python of this page did not load.")));
  });
  ready.catch(() => stopPython());
  return { worker, ready };
}

function stopPython() {
  python?.worker.terminate();
  python = undefined;
}

// The reply on an answer; undefined if it does not end.
export async function judged(exercise, code) {
  await startPython();
  const { worker } = python;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stopPython();
      startPython();
      resolve(undefined);
    }, LIMIT * 1000);
    worker.addEventListener("message", function answered({ data }) {
      if (!data.number) return;
      clearTimeout(timer);
      worker.removeEventListener("message", answered);
      if (data.failed) {
        stopPython();
        reject(new Error(data.failed));
      } else resolve(data.reply);
    });
    worker.postMessage({ number: 1, exercise, code });
  });
}
