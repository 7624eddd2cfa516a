// A token that expires during a subscription, as the client library graphql-ws meets it. BOOKENDS_URL is the URL that a server
// prints, whose key of tokens is JWT_SECRET and whose JWT_CLOCK_SKEW is 0.
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { createClient } from "graphql-ws";
import WebSocket from "ws";

const { BOOKENDS_URL, JWT_SECRET } = process.env;
assert(BOOKENDS_URL && JWT_SECRET, "BOOKENDS_URL names the server, and JWT_SECRET is its key");
const url = new URL("/graphql", new URL(BOOKENDS_URL));

// A token that is valid for so many seconds.
function token(seconds) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: "1", exp: Math.floor(Date.now() / 1000) + seconds })}`;
  return `${signed}.${createHmac("sha256", JWT_SECRET).update(signed).digest("base64url")}`;
}

async function post(query, variables) {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token(60)}` };
  const { data, errors } = await (await fetch(url, { method: "POST", headers, body: JSON.stringify({ query, variables }) })).json();
  assert.equal(errors, undefined);
  return data;
}

test("a subscription goes on with the next token", { timeout: 60_000 }, async () => {
  const [connected, closed] = [[], []];
  const client = createClient({
    url: url.href.replace(/^http/, "ws"),
    connectionParams: () => ({ Authorization: `Bearer ${token(2)}` }),
    webSocketImpl: WebSocket,
    on: { connected: (socket) => connected.push(socket), closed: ({ code }) => closed.push(code) },
  });
  const bookId = (await post("{ books(first: 1) { nodes { id } } }")).books.nodes[0].id;
  const mutation = "mutation ($input: RateBookInput!) { rateBook(input: $input) { ratingEdge { node { id } } } }";
  // Nobody is told when a subscription has begun: write until it has heard on both sockets.
  let writing = true;
  const written = (async () => {
    while (writing) await post(mutation, { input: { bookId, rating: 4 } });
  })();
  const heardOn = new Set();
  for await (const { data, errors } of client.iterate({ query: "subscription { ratingAdded { node { rating } } }" })) {
    assert.deepEqual([errors, data.ratingAdded.node.rating], [undefined, 4]);
    if (heardOn.add(connected.length).size === 2) break;
  }
  writing = false;
  await written;
  assert.equal(closed[0], 4403);
  await client.dispose();
});
