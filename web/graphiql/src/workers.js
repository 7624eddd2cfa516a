// The workers of the editor are one file, so that their common part is loaded once.
import Worker from "./worker.js?worker";

globalThis.MonacoEnvironment = { getWorker: (_, name) => new Worker({ name }) };
