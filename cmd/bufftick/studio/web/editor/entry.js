// The parts of CodeMirror that the page uses.
export { EditorState, Compartment } from "@codemirror/state";
export { EditorView, keymap, lineNumbers, drawSelection, highlightActiveLine, hoverTooltip, tooltips } from "@codemirror/view";
export { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
export { autocompletion, completionKeymap, startCompletion, closeBrackets } from "@codemirror/autocomplete";
export { linter, lintGutter, lintKeymap, setDiagnostics, nextDiagnostic } from "@codemirror/lint";
export { search, searchKeymap } from "@codemirror/search";
export { yaml } from "@codemirror/lang-yaml";
export { HighlightStyle, syntaxHighlighting, indentOnInput, bracketMatching, indentUnit } from "@codemirror/language";
export { tags } from "@lezer/highlight";
