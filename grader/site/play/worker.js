// The Python of a page: it answers {number, given} with {number, reply}, one after the other. Its name says which part
// of grader.page replies.
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
from grader.page.${name}_reply import reply

def answer(given):
    return json.dumps(reply(course=Path("/page/course"), **json.loads(given)))
`);
  return python.globals.get("answer");
}

// the last line of an error of Python, which is what went wrong; the console has it all
function said(error) {
  console.error(error);
  return String(error).trim().split("\n").at(-1);
}

const ready = start();
ready.then(
  () => postMessage({ ready: true }),
  (error) => postMessage({ failed: said(error) })
);
onmessage = async ({ data: { number, given } }) => {
  const answer = await ready;
  try {
    postMessage({ number, reply: JSON.parse(answer(JSON.stringify(given))) });
  } catch (error) {
    postMessage({ number, failed: said(error) });
  }
};
