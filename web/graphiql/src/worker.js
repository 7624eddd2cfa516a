const load = {
  json: () => import("monaco-editor/esm/vs/language/json/json.worker.js"),
  graphql: () => import("monaco-graphql/esm/graphql.worker.js"),
}[globalThis.name] ?? (() => import("monaco-editor/esm/vs/editor/editor.worker.js"));

// What comes before the worker is loaded waits for it.
const early = [];
globalThis.onmessage = (event) => early.push(event);
load().then(() => early.forEach((event) => globalThis.onmessage(event)));
