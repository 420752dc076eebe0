// The Python of a page: it answers {number, exercise, code} with {number, reply}, one after the other.
import { loadPyodide } from "./pyodide.mjs";

async function start() {
  const course = fetch("course.zip").then((found) => found.arrayBuffer());
  const python = await loadPyodide({ stdLibURL: new URL("library.zip", import.meta.url).href, env: { PYTHONHASHSEED: "0" } });
  python.unpackArchive(await course, "zip", { extractDir: "/page" });
  python.runPython(`
import sys
sys.path.insert(0, "/page")
sys.stdout = sys.stderr = open("/dev/null", "w")
import json
from pathlib import Path
from grader.page.page_reply import reply

def answer(exercise, code):
    return json.dumps(reply(exercise, code, Path("/page/course")))
`);
  return python.globals.get("answer");
}

const ready = start();
ready.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ failed: String(error) })
);
onmessage = async ({ data: { number, exercise, code } }) => {
  const answer = await ready;
  try {
    postMessage({ number, reply: JSON.parse(answer(exercise, code)) });
  } catch (error) {
    postMessage({ number, failed: String(error) });
  }
};
