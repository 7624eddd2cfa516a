// The colours of the editor that are too faint to be read on GraphiQL's background.
import { vs, vs_dark } from "monaco-editor/esm/vs/editor/standalone/common/themes.js";

vs.rules.push({ token: "number", foreground: "06633f" });
vs.colors["editorLineNumber.dimmedForeground"] = "#237893";
vs_dark.rules.push({ token: "comment", foreground: "86b374" });
vs_dark.colors["editorLineNumber.foreground"] = "#9aa5b8";
vs_dark.colors["editorLineNumber.dimmedForeground"] = "#9aa5b8";
