// The way to the server: queries and mutations by POST, subscriptions over a WebSocket. What fails on it is said in plain
// words, where GraphiQL's own fetcher leaves a stack.
import { getOperationAST } from "graphql";
import { createClient } from "graphql-ws";

// Beside the page, wherever a proxy has put it; `ws:` goes with `http:`, `wss:` with `https:`.
const api = new URL("graphql", document.baseURI);
const socket = new URL(api);
socket.protocol = api.protocol.replace("http", "ws");

const GONE = "The server does not answer. It may be restarting, or the network is down.";

/** The code with which a browser closes a WebSocket whose connection was lost. */
const LOST = 1006;

/** GraphiQL shows what it catches, with its stack if there is one. */
const failure = (message) => Object.assign(new Error(message), { stack: undefined });

const closed = ({ code, reason }) => failure(code === LOST ? GONE : `The server closed the connection: ${reason || code}.`);

async function post(request, headers) {
  const init = {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/graphql-response+json, application/json;q=0.9", ...headers },
    body: JSON.stringify(request),
  };
  const response = await fetch(api, init).catch(() => {
    throw failure(GONE);
  });
  return response.json().catch(() => {
    throw failure(`The server answered with status ${response.status}, and without GraphQL.`);
  });
}

/** Events that come until they fail: a reader would not learn what was missed between two connections. */
const listen = (request, headers) => ({
  subscribe(sink) {
    const client = createClient({ url: socket.href, connectionParams: headers, retryAttempts: 0 });
    const error = (cause) => sink.error(cause instanceof CloseEvent ? closed(cause) : cause);
    return { unsubscribe: client.subscribe(request, { ...sink, error }) };
  },
});

export function fetcher(request, { headers, documentAST } = {}) {
  const operation = documentAST && getOperationAST(documentAST, request.operationName);
  return operation?.operation === "subscription" ? listen(request, headers) : post(request, headers);
}
