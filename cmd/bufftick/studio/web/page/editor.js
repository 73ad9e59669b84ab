// The editor: CodeMirror with errors, completion and help.
import { EditorState, EditorView, keymap, lineNumbers, drawSelection, highlightActiveLine, hoverTooltip, defaultKeymap, history, historyKeymap, indentWithTab, autocompletion, completionKeymap, closeBrackets, lintGutter, lintKeymap, setDiagnostics, search, searchKeymap, yaml, HighlightStyle, syntaxHighlighting, indentOnInput, bracketMatching, indentUnit, tags } from "./codemirror.js";
import { h } from "./dom.js";

const look = EditorView.theme({
  "&": { color: "var(--ink)", backgroundColor: "var(--panel)" },
  ".cm-content": { caretColor: "var(--ink)", fontFamily: "ui-monospace,monospace" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  ".cm-gutters": { backgroundColor: "var(--panel)", color: "var(--soft)", border: "0" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "color-mix(in srgb, var(--run) 8%, transparent)" },
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "color-mix(in srgb, var(--run) 30%, transparent) !important" },
  ".cm-tooltip, .cm-panels": { backgroundColor: "var(--panel)", color: "var(--ink)", border: "1px solid var(--line)" },
  ".cm-tooltip-autocomplete ul li[aria-selected]": { backgroundColor: "var(--run)", color: "var(--panel)" },
  ".cm-diagnostic": { color: "var(--ink)" },
});
const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--run)" }, { tag: [tags.comment, tags.meta], color: "var(--soft)" },
  { tag: [tags.string, tags.content], color: "var(--ink)" }, { tag: [tags.number, tags.bool, tags.keyword], color: "var(--harm)" },
]);
// nest starts a deeper line after a key without a value. It leaves other lines to the editor.
const nest = (view) => {
  const { from, empty } = view.state.selection.main, l = view.state.doc.lineAt(from);
  if (!empty || from !== l.to || !/^\s*(- )*[^\s#-][^#]*:\s*$/.test(l.text)) return false;
  view.dispatch({ ...view.state.replaceSelection("\n" + /^\s*(- )*/.exec(l.text)[0].replaceAll("-", " ") + "  "), scrollIntoView: true, userEvent: "input" });
  return true;
};
// create makes an editor: change(text) is called after an edit of the user, moved() after any
// change of the cursor, complete(text, pos) returns completions, and hint(text, pos) a help text.
export const create = (parent, label, { change, moved, complete, hint }) => {
  const extensions = [
    lineNumbers(), drawSelection(), highlightActiveLine(), history(), indentOnInput(), bracketMatching(), closeBrackets(), search({ top: true }), lintGutter(), yaml(),
    indentUnit.of("  "), syntaxHighlighting(colours), look, EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label }),
    keymap.of([{ key: "Enter", run: nest }, ...completionKeymap, ...searchKeymap, ...lintKeymap, ...historyKeymap, ...defaultKeymap, indentWithTab]),
    autocompletion({ activateOnTypingDelay: 60, override: [(c) => (c.explicit || /[\w:{,[ ]$/.test(c.state.sliceDoc(Math.max(c.pos - 1, 0), c.pos)) ? complete(c.state.doc.toString(), c.pos) : null)] }),
    hoverTooltip((view, pos) => {
      const found = hint && hint(view.state.doc.toString(), pos);
      return found ? { pos, create: () => ({ dom: h("div", { class: "hint" }, h("code", {}, found.title), found.type ? " " + found.type : "", h("div", {}, found.text)) }) } : null;
    }),
    EditorView.updateListener.of((u) => {
      if (u.docChanged && !u.transactions.some((t) => t.isUserEvent("load"))) change(u.state.doc.toString());
      if (u.docChanged || u.selectionSet) moved();
    }),
  ];
  const fresh = (doc, readOnly) => EditorState.create({ doc, extensions: [...extensions, EditorState.readOnly.of(!!readOnly)] });
  const view = new EditorView({ parent, state: fresh("") });
  return {
    view,
    text: () => view.state.doc.toString(),
    // open shows another text, without history. set replaces the text of the same file.
    open: (text, readOnly) => { view.setState(fresh(text, readOnly)); moved(); },
    set: (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } }),
    line: () => view.state.doc.lineAt(view.state.selection.main.head).number,
    cursor: () => view.state.selection.main.head,
    go: (line, column) => {
      const l = view.state.doc.line(Math.min(Math.max(line, 1), view.state.doc.lines));
      view.dispatch({ selection: { anchor: Math.min(l.from + Math.max(column - 1, 0), l.to) }, scrollIntoView: true });
      view.focus();
    },
    mark: (findings) => view.dispatch(setDiagnostics(view.state, findings.filter((f) => f.line > 0 && f.line <= view.state.doc.lines).map((f) => {
      const l = view.state.doc.line(f.line), from = Math.min(l.from + f.column - 1, l.to);
      const end = from + Math.max(/^[^\s,}\]]*/.exec(view.state.sliceDoc(from, l.to))[0].length, 1);
      return { from, to: Math.min(end, l.to), severity: f.severity, message: (f.field ? f.field + ": " : "") + f.text };
    }))),
  };
};
