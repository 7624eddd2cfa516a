// Relay's way to the server: queries and mutations by POST, subscriptions over one WebSocket.
import { createClient } from "graphql-ws";
import { Environment, Network, Observable, RecordSource, Store } from "relay-runtime";

import { token } from "../../graphiql/src/token.js";
import { Failure } from "./failure.js";

// Beside the page, wherever a proxy has put it; `ws:` goes with `http:`, `wss:` with `https:`.
const api = new URL("graphql", document.baseURI);
const socket = new URL(api);
socket.protocol = api.protocol.replace("http", "ws");

const TIME_LIMIT = 35_000;

/** The longest pause before the WebSocket is opened again, in milliseconds. */
const MAX_PAUSE = 4_000;

async function post({ text }, variables, report, signal) {
  const headers = { "Content-Type": "application/json", Accept: "application/graphql-response+json" };
  if (report) headers["GraphQL-Timing"] = "report";
  if (token) headers.Authorization = `Bearer ${token}`;
  const body = JSON.stringify({ query: text, variables });
  const limited = AbortSignal.any([signal, AbortSignal.timeout(TIME_LIMIT)]);
  const response = await fetch(api, { method: "POST", headers, body, signal: limited }).catch((error) => {
    throw Failure.ofNetwork(error);
  });
  const answer = await response.json().catch(() => {
    throw Failure.ofStatus(response.status);
  });
  if (answer.errors) throw Failure.ofErrors(answer.errors, response.headers.get("Retry-After"));
  report?.(cost(response.headers.get("Server-Timing")));
  return answer;
}

/** What the server says of its statements: `db;dur=0.41;desc="1 statement, 12 rows"`. */
function cost(timing) {
  const [, ms, statements, rows] = /^db;dur=([\d.]+);desc="(\d+) statements?, (\d+) rows?"$/.exec(timing ?? "") ?? [];
  return ms === undefined ? undefined : { ms: Number(ms), statements: Number(statements), rows: Number(rows) };
}

const fetchFunction = (request, variables, { metadata }) =>
  Observable.create((sink) => {
    const controller = new AbortController();
    post(request, variables, metadata?.report, controller.signal).then(
      (answer) => {
        sink.next(answer);
        sink.complete();
      },
      (error) => sink.error(error),
    );
    return () => controller.abort();
  });

/** Calls this when the WebSocket opens, and when it is lost. */
export function onConnection(listener) {
  const stop = [client.on("connected", () => listener(true)), client.on("closed", () => listener(false))];
  return () => stop.forEach((end) => end());
}

const client = createClient({
  url: socket.href,
  retryAttempts: Infinity,
  shouldRetry: () => true,
  retryWait: (tries) => new Promise((resolve) => setTimeout(resolve, Math.min(250 * 2 ** tries, MAX_PAUSE))),
});

const subscribeFunction = ({ text, name }, variables) =>
  Observable.create((sink) => client.subscribe({ query: text, operationName: name, variables }, sink));

export const environment = new Environment({
  network: Network.create(fetchFunction, subscribeFunction),
  // A page that leaves the list leaves the store.
  store: new Store(new RecordSource(), { gcReleaseBufferSize: 0 }),
});
