"""The catalogue of strange forms: each with what it deserves, which was decided before anything graded it.

What a form deserves is what a teacher who looks at it would give, and whether a program can know that. Nearly all
forms change the answer to 14.1; the other six exercises are answered well.
"""

from __future__ import annotations

import gzip
import re
from dataclasses import replace

from testkit.plain_class import LESSON
from testkit.strange_forms import (
    BODY,
    CHECK,
    DEF,
    FILE,
    NAME,
    OTHER,
    RIGHT,
    SHIFTED,
    STUB,
    WRONG,
    Form,
    all_at_the_end,
    another_lesson,
    answer,
    as_it_is,
    as_text,
    at,
    backwards,
    beside,
    by_jupytext,
    code_cells,
    colab,
    databricks,
    deepnote,
    edited,
    every_cell,
    format_3,
    guarded,
    in_one_cell,
    in_the_check_cell,
    indented,
    insert,
    instead,
    into_a_new_notebook,
    kernel_of,
    large_outputs,
    loose_fields,
    marks_lost,
    merged_by_git,
    merged_with_check,
    noise,
    not_a_number,
    outputs_only,
    papermill,
    pycharm,
    same_mark_everywhere,
    shapes,
    split_with_marks,
    stub_copy,
    swapped,
    under_commands,
    untouched,
    without,
    without_ids,
    without_line_ends,
    zipped,
)


def because(why: str, *forms: Form) -> list[Form]:
    """Forms that deserve what they do for this reason, if they have no reason of their own."""
    return [replace(form, why=form.why or why) for form in forms]


FIRST = "14.1"
SKIPPED = {FIRST: "not_attempted"}
BROKEN = {FIRST: "error"}
FAILED = {FIRST: "failed"}
EXERCISES = ("14.1", "14.2", "14.3", "14.4", "14.5", "14.6", "14.7")
ALL_BROKEN = dict.fromkeys(EXERCISES[:-1], "error")  # the last answer needs no other cell
NONE = dict.fromkeys(EXERCISES, "not_attempted")

ANOTHER_FILE = "other tools write and change files in this way, and the answers are the same"
ANOTHER_PLACE = "run from top to bottom, the right function is there"
HIDDEN = "a person sees an answer there, and a program cannot be sure that it is meant"
UNREAD = "no program can read it, and a person may"
SPOILED = "the answer cannot run here, and a person sees how it was meant"
JUDGED = "it ran, and what it does is not what the task requires"

# the notebook is read as it was meant
OPENS = because(
    ANOTHER_FILE,
    Form("format 3", edited(format_3)),
    Form("format 4.0 without ids", edited(without_ids)),
    Form("all metadata lost", edited(marks_lost, lambda n: n.update(metadata={}))),
    Form(
        "marks are null or lists",
        edited(every_cell(lambda c, n: c.metadata.update(nbgrader=[None, []][n % 2]))),
    ),
    Form("the same mark on all cells", edited(same_mark_everywhere)),
    Form("ids of VS Code", edited(every_cell(lambda c, n: c.update(id=f"#VSC-{n}")))),
    Form("Colab", edited(colab)),
    Form("Deepnote", edited(deepnote)),
    Form("Databricks notebook", edited(databricks)),
    Form("PyCharm", edited(code_cells(pycharm))),
    Form("Jupytext and back", edited(by_jupytext)),
    Form("papermill", edited(papermill)),
    Form("loose fields", edited(loose_fields)),
    Form("byte order mark", edited(as_text(lambda text: text.encode("utf-8-sig")))),
    Form("UTF-16", edited(as_text(lambda text: text.encode("utf-16")))),
    Form(
        "not UTF-8",
        edited(answer(f"# für später\n{RIGHT}"), as_text(lambda t: t.encode("cp1252", "replace"))),
    ),
    Form(
        "Windows line ends",
        edited(
            code_cells(lambda c: c.update(source=c.source.replace("\n", "\r\n"))),
            as_text(lambda t: t.replace("\n", "\r\n")),
        ),
    ),
    Form(
        "old Mac line ends",
        edited(code_cells(lambda c: c.update(source=c.source.replace("\n", "\r")))),
    ),
    Form("NaN and Infinity", edited(not_a_number)),
    Form("lines without ends", edited(every_cell(without_line_ends))),
    Form("large outputs and widgets", edited(large_outputs)),
    Form("wrong kernel", edited(kernel_of("ir", "R"))),
    Form(
        "as a server sends it",
        edited(lambda n: {"name": FILE, "type": "notebook", "content": dict(n)}),
    ),
    Form(
        "files of a Mac and of an editor",
        beside(
            {
                "._" + FILE: b"\0\5\26\7",
                ".DS_Store": b"\0",
                f".ipynb_checkpoints/{LESSON}-checkpoint.ipynb": "{}",
            }
        ),
    ),
)

# all answers are there and run
PLACED = because(
    ANOTHER_PLACE,
    Form("split into two marked cells", edited(split_with_marks)),
    Form(
        "helper in the answer's cell, answer in the next",
        edited(
            answer("def newest(lags):\n    return lags[-4:]"),
            insert(RIGHT.replace("lags[-4:]", "newest(lags)"), NAME),
        ),
    ),
    Form("merged with its check", edited(merged_with_check)),
    Form("all in one cell", edited(in_one_cell)),
    Form("exercises backwards, checks above answers", edited(backwards)),
    Form("all answers at the end", edited(all_at_the_end)),
    Form("retyped into a new notebook", edited(into_a_new_notebook)),
    Form("answers of two exercises swapped", edited(swapped)),
    Form("a marked stub above", edited(stub_copy(below=False))),
    Form("stub above in the same cell", edited(answer(STUB + "\n\n" + RIGHT))),
    Form("check deleted", edited(without(CHECK))),
    Form("check rewritten", edited(answer("assert True", mark=CHECK))),
    Form(
        "in the check's cell",
        edited(in_the_check_cell),
        SKIPPED,
        "its check, which grading restores",
        why="the cell is locked, so it is restored; a person sees the answer in it",
    ),
    Form("wrong again below the check", edited(insert(WRONG, CHECK))),
    Form("Markdown cell with its mark", edited(answer(RIGHT, "markdown"))),
    Form("raw cell with its mark", edited(answer(RIGHT, "raw"))),
    Form("marks of a merge around cells", edited(merged_by_git)),
    Form(
        "from a module",
        beside(
            {
                "answers/__init__.py": "",
                "answers/lag.py": "from itertools import pairwise\n" + OTHER,
            },
            answer(f"from answers.lag import lag_alarm as {NAME}"),
        ),
    ),
    Form("lambda, partial, object, decorator, annotation", edited(shapes)),
    Form("under magics, with help and shell lines", edited(under_commands)),
    Form("tabs, indented cells, prompts", edited(indented)),
    Form("under if, try, for, global and exec", edited(guarded)),
    Form(
        "NotImplementedError below a return",
        edited(answer(RIGHT + "    raise NotImplementedError\n")),
    ),
    Form(
        "other cells fail, ask, print, exit", edited(noise), why="what other cells do is not graded"
    ),
)

# not attempted for the grader, but not for a person
LOOKED_AT = because(
    HIDDEN,
    Form("renamed", edited(answer(OTHER)), SKIPPED, "`lag_alarm`, not"),
    Form(
        "renamed, and so is its check",
        edited(answer(OTHER), answer('grader.check("14.1", lag_alarm)', mark=CHECK)),
        SKIPPED,
        "`lag_alarm`, not",
    ),
    Form(
        "Markdown cell without its mark",
        edited(answer(RIGHT, "markdown", marked=False)),
        SKIPPED,
        "Markdown or raw",
    ),
    Form(
        "fenced in prose",
        edited(answer(STUB), insert(f"My answer:\n```python\n{RIGHT}```", NAME, "markdown")),
        SKIPPED,
        "Markdown or raw",
    ),
    Form(
        "commented out", edited(answer(re.sub("^", "# ", RIGHT, flags=re.M))), SKIPPED, "mentions"
    ),
    Form("a marked stub below", edited(stub_copy(below=True)), SKIPPED, f"defines `{NAME}`"),
    Form(
        "stub below in the same cell",
        edited(answer(RIGHT + "\n\n" + STUB)),
        SKIPPED,
        f"defines `{NAME}`",
    ),
    Form("below the raise", edited(answer(STUB + BODY)), SKIPPED, "never runs"),
    Form(
        "only the expression",
        edited(answer("reports[-1]['sources'][0]['metrics']['maxOffsetsBehindLatest'] > 5000")),
        BROKEN,
        "before the function",
    ),
    Form("under timeit", edited(answer("%%timeit -n1 -r1\n" + RIGHT)), SKIPPED, NAME),
    Form(
        "only written to a file", edited(answer("%%writefile answer.py\n" + RIGHT)), SKIPPED, NAME
    ),
    Form("in a cell of bash", edited(answer("%%bash\n" + RIGHT)), BROKEN, "before the function"),
    Form(
        "inside a function",
        edited(answer("def main():\n    " + SHIFTED + "main()")),
        SKIPPED,
        "inside",
    ),
    Form("as a method", edited(answer("class Answers:\n    " + SHIFTED)), SKIPPED, "inside"),
    Form(
        "its name taken by a result",
        edited(answer(RIGHT), insert(f"{NAME} = {NAME}([], most=5)", NAME)),
        SKIPPED,
        NAME,
    ),
    Form(
        "deleted by a reset",
        edited(insert("%reset -f", NAME)),
        {**ALL_BROKEN, **SKIPPED},
        "`math`, which cell 3 defines",
    ),
    Form(
        "the answer of another exercise",
        edited(lambda n: answer(n.cells[at(n, "cores_wanted")].source)(n)),
        SKIPPED,
        "defines no",
    ),
    Form(
        "outputs only",
        edited(outputs_only),
        SKIPPED,
        "saved output",
        why="the output says that there was an answer that passed",
    ),
    Form(
        "stub with a solved copy",
        beside({f"{LESSON} (1).ipynb": as_it_is}, untouched),
        NONE,
        r"in 14_operation \(1\)\.ipynb",
    ),
    Form(
        "stub with a solved folder",
        beside({f"final/{FILE}": as_it_is}, untouched),
        NONE,
        "in final/",
    ),
    Form(
        "stub with a program",
        beside({"answers.py": OTHER.replace("lag_alarm", NAME)}, untouched),
        NONE,
        r"in answers\.py",
    ),
    Form(
        "stub with a text file",
        beside({"my answers.txt": RIGHT}, untouched),
        NONE,
        r"my answers\.txt",
    ),
    Form("stub with a zip", beside({"answers.zip": zipped}, untouched), NONE, r"answers\.zip"),
    Form("notebook of another lesson", edited(another_lesson), NONE, "cell 1"),
)

# the answer did not run as it was meant
SPOILT = because(
    SPOILED,
    Form("curly quotes", edited(answer(RIGHT.replace('"', "”"))), BROKEN, "invalid character"),
    Form(
        "no-break spaces",
        edited(answer(RIGHT.replace("    ", "\u00a0   "))),
        BROKEN,
        "non-printable",
    ),
    Form(
        "marks of a merge in the answer",
        edited(answer(RIGHT.replace("    if lags", "<<<<<<< HEAD\n    if lags"))),
        BROKEN,
        "<<<<<<<",
    ),
    Form(
        "Python 2",
        edited(answer(RIGHT.replace("    lags = []", "    lags = []\n    print lags"))),
        BROKEN,
        "print",
    ),
    Form(
        "R",
        edited(answer(f"{NAME} <- function(reports, most) {{ TRUE }}"), kernel_of("ir", "R")),
        BROKEN,
        "syntax",
    ),
    Form(
        "body split into the next cell",
        edited(
            answer(DEF + BODY.split("    if")[0]),
            insert("    if" + BODY.split("    if", 1)[1], NAME),
        ),
        FAILED,
        "below its answer is no Python",
    ),
    Form(
        "a helper below the check",
        edited(
            answer(RIGHT.replace("lags[-4:]", "newest(lags)")),
            insert("def newest(lags):\n    return lags[-4:]", CHECK),
        ),
        BROKEN,
        "`newest`, which cell .* below the check",
    ),
    Form(
        "given imports deleted",
        edited(lambda n: n.cells.__delitem__(2)),
        ALL_BROKEN,
        "the given `pairwise`, which is gone",
    ),
    Form(
        "imports after one that is missing",
        edited(
            lambda n: n.cells[2].update(
                source="from google.colab import drive\n" + n.cells[2].source
            )
        ),
        ALL_BROKEN,
        r"cell 3 defines, and that cell failed: .*google",
    ),
    Form(
        "its module not handed in", edited(answer(f"from answers import {NAME}")), BROKEN, "answers"
    ),
    Form(
        "a package that is missing",
        edited(answer("import seaborn as sns\n" + RIGHT)),
        BROKEN,
        "seaborn",
    ),
    Form(
        "reads a file that is missing",
        edited(
            answer(
                RIGHT.replace("    lags = []", "    lags = [open('/content/lags.csv').read()][:0]")
            )
        ),
        BROKEN,
        "where it ran: .*lags.csv",
    ),
    Form("asks in its cell", edited(answer("most = input('Limit? ')\n" + RIGHT)), BROKEN, "input"),
    Form(
        "a breakpoint",
        edited(answer(RIGHT.replace("    lags = []", "    lags = []\n    breakpoint()"))),
        BROKEN,
        "BdbQuit",
    ),
)

# it ran, and the verdict says what is wrong
ANSWERED_WRONG = because(
    JUDGED,
    Form(
        "prints in place of returning",
        edited(
            answer(
                RIGHT.replace("return ", "print(")
                .replace("True", "True)")
                .replace("[-4:]))", "[-4:])))")
            )
        ),
        FAILED,
    ),
    Form(
        "wrong again above the check",
        edited(insert(WRONG, NAME)),
        FAILED,
        why="the last function above the check is the answer, as in the notebook",
    ),
    Form("async", edited(answer("async " + RIGHT)), FAILED),
    Form("a generator", edited(answer(RIGHT.replace("return ", "yield "))), FAILED),
    Form(
        "a class that is not called",
        edited(
            answer(
                f"class {NAME}:\n    def __init__(self, reports, most):\n        self.late = True"
            )
        ),
        FAILED,
    ),
    Form(
        "other parameters",
        edited(answer(RIGHT.replace("reports", "rs"))),
        FAILED,
        why="the task gives the names",
    ),
)

# nothing can be graded, and a person is told what is there
CANNOT = because(
    UNREAD,
    Form(
        "cut short", edited(as_text(lambda t: t[: len(t) // 2])), person="cut short", refused=True
    ),
    Form("empty file", edited(lambda n: b" "), person="is empty", refused=True),
    Form("a zip called a notebook", edited(zipped), person="zip archive", refused=True),
    Form(
        "a gzip called a notebook",
        edited(as_text(lambda t: gzip.compress(t.encode()))),
        person="gzip archive",
        refused=True,
    ),
    Form(
        "a page called a notebook",
        edited(lambda n: b"<!DOCTYPE html><html></html>"),
        person="web page",
        refused=True,
    ),
    Form(
        "a PDF called a notebook",
        edited(lambda n: b"%PDF-1.7\n%\xe2\xe3"),
        person="is a PDF",
        refused=True,
    ),
    Form(
        "a comma too many",
        edited(as_text(lambda t: t.rstrip()[:-1] + ",}")),
        person="is damaged",
        refused=True,
    ),
    Form(
        "conflict in the file",
        edited(as_text(lambda t: t.replace(' "metadata"', '<<<<<<< HEAD\n "metadata"', 1))),
        person="marks of a git conflict",
        refused=True,
    ),
    Form(
        "a pointer of Google Drive",
        edited(lambda n: {"url": "https://colab.research.google.com/drive/1", "doc_id": "1"}),
        person="no cells",
        refused=True,
    ),
    Form(
        "a pointer of Git LFS",
        edited(lambda n: b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n"),
        person="Git LFS",
        refused=True,
    ),
    Form(
        "a note of Zeppelin",
        edited(lambda n: {"paragraphs": [{"text": RIGHT}], "name": "14"}),
        person="no cells",
        refused=True,
    ),
    Form(
        "Databricks source",
        instead({f"{LESSON}.py": f"# Databricks notebook source\n{RIGHT}\n# COMMAND ----------\n"}),
        person=rf"{LESSON}\.py",
        refused=True,
    ),
    Form(
        "a page",
        instead({f"{LESSON}.html": "<html></html>"}),
        person=rf"{LESSON}\.html",
        refused=True,
    ),
    Form(
        "only a zip",
        instead({"submission.zip": b"PK\3\4"}),
        person=r"submission\.zip",
        refused=True,
    ),
    Form(
        "called .ipynb.txt",
        instead({f"{FILE}.txt": as_it_is}),
        person=rf"{FILE}\.txt",
        refused=True,
        why="nbgrader finds a notebook by its name",
    ),
    Form(
        "other letters in its name",
        instead({"14_Operation.ipynb": as_it_is}),
        person=r"14_Operation\.ipynb",
        refused=True,
        why="nbgrader finds a notebook by its name",
    ),
    Form(
        "in a folder of its folder",
        instead({f"{LESSON}/{FILE}": as_it_is}),
        person=rf"{LESSON}/{FILE}",
        refused=True,
        why="nbgrader finds a notebook by its name",
    ),
    Form(
        "two copies, none under its name",
        instead({f"{LESSON} (1).ipynb": as_it_is, f"{LESSON} (2).ipynb": as_it_is}),
        person=r"\(1\)\.ipynb, .*\(2\)\.ipynb",
        refused=True,
        why="nbgrader finds a notebook by its name",
    ),
    Form(
        "only a link",
        instead({"link.txt": "https://colab.research.google.com/drive/1"}),
        person=r"link\.txt",
        refused=True,
    ),
    Form("an empty folder", instead({}), person="no file", refused=True),
)

FORMS = [*OPENS, *PLACED, *LOOKED_AT, *SPOILT, *ANSWERED_WRONG, *CANNOT]
