// Makes the two archives of a page ready to run: precompile.mjs <pyodide's folder> <archive of the course> <into>
import { readFileSync, writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [folder, course, into] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${folder}/pyodide.mjs`));
const python = await loadPyodide();
// what a page cannot use, or nobody imports there
const LEFT_OUT = [
  "_pyrepl", "bdb", "cProfile", "curses", "dbm", "doctest", "ensurepip", "ftplib", "idlelib", "imaplib", "mailbox",
  "multiprocessing", "netrc", "optparse", "pdb", "pickletools", "poplib", "profile", "pstats", "pydoc", "pydoc_data",
  "smtplib", "socketserver", "sqlite3", "test", "tkinter", "turtle", "turtledemo", "unittest", "venv", "wsgiref", "xml",
  "xmlrpc", "zipapp",
];
python.FS.writeFile("/library.zip", readFileSync(`${folder}/python_stdlib.zip`));
python.FS.writeFile("/course.zip", readFileSync(course));
python.globals.set("left_out", python.toPy(LEFT_OUT));
python.runPython(`
import marshal, sys, zipfile
from importlib._bootstrap_external import _code_to_hash_pyc
from importlib.util import source_hash

# of the tables of characters, what Python starts with, and what a text may name
KEPT = ("encodings/__init__", "encodings/aliases", "encodings/utf_8", "encodings/ascii", "encodings/latin_1",
        "encodings/cp437", "encodings/idna", "encodings/unicode_escape", "encodings/raw_unicode_escape")

def compiled(name, content, level):
    code = compile(content, name, "exec", dont_inherit=True, optimize=level)
    return bytes(_code_to_hash_pyc(code, source_hash(content), False))

# without docstrings, but Pyodide copies its own; the grader's code keeps its assertions
def level_of(first, dropped):
    return 2 if dropped and first not in ("pyodide", "_pyodide") else 0

def precompile(path, dropped):
    with zipfile.ZipFile(path) as given, zipfile.ZipFile(path + ".new", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as made:
        for entry in sorted(given.infolist(), key=lambda one: one.filename):
            name, stem = entry.filename, entry.filename.removesuffix(".py")
            first = stem.split("/")[0]
            if entry.is_dir() or first in dropped or (dropped and first == "encodings" and stem not in KEPT):
                continue
            content = given.read(entry)
            if name.endswith(".py"):
                name, content = name + "c", compiled(name, content, level_of(first, dropped))
            to = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
            to.compress_type = zipfile.ZIP_DEFLATED
            made.writestr(to, content)

precompile("/library.zip", set(left_out))
precompile("/course.zip", set())
`);
for (const name of ["library", "course"]) writeFileSync(`${into}/${name}.zip`, python.FS.readFile(`/${name}.zip.new`));
// the list of packages that Pyodide asks for when it starts: this page has none
const { info } = JSON.parse(readFileSync(`${folder}/pyodide-lock.json`));
writeFileSync(`${into}/pyodide-lock.json`, JSON.stringify({ info, packages: {} }));
