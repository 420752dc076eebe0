// The editor of an answer: CodeMirror in a shadow root, because the page's policy allows style sheets only there.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { python } from "@codemirror/lang-python";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, keymap } from "@codemirror/view";
import { tags } from "@lezer/highlight";

// the colors are the page's, so that they follow its theme
const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--panel)", border: "1px solid var(--line)", borderRadius: "8px" },
  "&.cm-focused": { outline: "3px solid var(--blue)", outlineOffset: "2px" },
  ".cm-scroller": { font: "0.875rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace" },
  // the content is the whole editor: a click below the code puts the cursor there
  ".cm-content": { padding: ".7rem 0", caretColor: "var(--ink)", minHeight: "11rem" },
  ".cm-line": { padding: "0 .9rem" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "var(--selected)",
  },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: "var(--selected)" },
});
const colors = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: "var(--code-keyword)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--code-string)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--code-number)" },
  { tag: tags.comment, color: "var(--soft)", fontStyle: "italic" },
  { tag: tags.function(tags.definition(tags.variableName)), color: "var(--blue)" },
]);

// Put an editor into `host`: `changed` is called after each change, `submit` by Ctrl-Enter or Cmd-Enter.
export function makeEditor(host, { label, changed, submit }) {
  const root = host.attachShadow({ mode: "open" });
  const keys = [{ key: "Mod-Enter", run: () => (submit(), true) }, ...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, indentWithTab];
  const extensions = [
    history(), drawSelection(), indentUnit.of("    "), indentOnInput(), bracketMatching(), closeBrackets(), python(),
    syntaxHighlighting(colors), look, keymap.of(keys),
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    EditorView.updateListener.of((update) => update.docChanged && changed()),
  ];
  const stateOf = (code) => EditorState.create({ doc: code, extensions });
  const view = new EditorView({ state: stateOf(""), root, parent: root });
  return {
    get code() {
      return view.state.doc.toString();
    },
    // another answer, whose history begins here
    open: (code) => view.setState(stateOf(code)),
    // other code of the same answer, which can be undone
    replace: (code) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: code } }),
  };
}
