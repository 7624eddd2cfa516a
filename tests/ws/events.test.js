// The API as event streams, as the client library graphql-sse meets it. BOOKENDS_URL is the URL that a server prints.
import assert from "node:assert/strict";
import { test } from "node:test";
import { createClient } from "graphql-sse";

const { BOOKENDS_URL } = process.env;
assert(BOOKENDS_URL, "BOOKENDS_URL names the server");
const printed = new URL(BOOKENDS_URL);
const Authorization = `Bearer ${new URLSearchParams(printed.hash.slice(1)).get("token")}`;
const client = createClient({ url: new URL("/graphql", printed).href, headers: { Authorization }, retryAttempts: 0 });

// All results of an operation, to its end.
async function results(query, variables) {
  const found = [];
  for await (const result of client.iterate({ query, variables })) found.push(result);
  return found;
}

const BOOK = "{ books(first: 1) { nodes { id } } }";
const RATE = "mutation ($input: RateBookInput!) { rateBook(input: $input) { ratingEdge { node { id } } } }";

test("a query has one result, and ends", async () => {
  const [{ data, errors }, ...others] = await results(BOOK);
  assert.deepEqual([errors, others, data.books.nodes.length], [undefined, [], 1]);
});

test("an invalid operation has its errors as a result", async () => {
  const [{ errors }, ...others] = await results("{ nothing }");
  assert.deepEqual([errors[0].extensions.code, others], ["GRAPHQL_VALIDATION_FAILED", []]);
});

test("a subscription hears what is added by a mutation", { timeout: 30_000 }, async () => {
  const bookId = (await results(BOOK))[0].data.books.nodes[0].id;
  const added = new Set();
  const events = client.iterate({ query: "subscription ($id: ID) { ratingAdded(bookId: $id) { node { id } } }", variables: { id: bookId } });
  // Nobody is told when the subscription has begun: write until it hears.
  const write = setInterval(async () => {
    const [{ data }] = await results(RATE, { input: { bookId, rating: 3 } });
    added.add(data.rateBook.ratingEdge.node.id);
  }, 50);
  const { value } = await events.next();
  clearInterval(write);
  const heard = value.data.ratingAdded.node.id;
  // The event can come before the response of its mutation.
  while (!added.has(heard)) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(await events.return(), { done: true, value: undefined });
});
