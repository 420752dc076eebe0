// The Python of a page. It runs in a worker; an answer that does not end is ended with the worker.
export const LIMIT = 10; // seconds that a reply may take; the worker's start does not count

// one worker at a time: {worker, ready: a promise}
let python;
let asked = 0;

// Start Python for a part of these pages (page, drill), unless it runs; the promise is kept when it can answer.
export function startPython(part) {
  python ??= started(part);
  return python.ready;
}

function started(part) {
  const worker = new Worker("worker.js", { type: "module", name: part });
  const ready = new Promise((resolve, reject) => {
    worker.addEventListener("message", ({ data }) => {
      if (data.ready) resolve();
      else if (data.failed && !data.number) reject(new Error(data.failed));
    });
    worker.addEventListener("error", () => reject(new Error("The Python of this page did not load.")));
  });
  ready.then(keepFiles, () => stop(worker));
  return { worker, ready };
}

// The next visit needs no network; not earlier, because the files would be loaded twice at the same time.
function keepFiles() {
  navigator.serviceWorker?.register("sw.js", { updateViaCache: "none" }).catch(() => {});
}

function stop(worker) {
  worker.terminate();
  if (python?.worker === worker) python = undefined;
}

// The reply of a part to what is given; undefined if it does not end.
export async function ask(part, given) {
  await startPython(part);
  const { worker } = python;
  const number = ++asked;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      stop(worker);
      startPython(part);
      resolve(undefined);
    }, LIMIT * 1000);
    worker.addEventListener("message", function answered({ data }) {
      if (data.number !== number) return;
      clearTimeout(timer);
      worker.removeEventListener("message", answered);
      if (data.failed) {
        stop(worker);
        reject(new Error(data.failed));
      } else resolve(data.reply);
    });
    worker.postMessage({ number, given });
  });
}

// The reply on an exercise's answer; undefined if it does not end.
export const judged = (exercise, code) => ask("page", { exercise, code });
