// The API over WebSocket, as the client library graphql-ws meets it. BOOKENDS_URL is the URL that a server prints, with its
// token. Nobody else writes to that server.
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { createClient } from "graphql-ws";
import WebSocket from "ws";

const { BOOKENDS_URL } = process.env;
assert(BOOKENDS_URL, "BOOKENDS_URL names the server");
const printed = new URL(BOOKENDS_URL);
const url = new URL("/graphql", printed);
const Authorization = `Bearer ${new URLSearchParams(printed.hash.slice(1)).get("token")}`;

// One socket for all tests, open from the beginning to the end, and what the server says on it.
const said = [];
const client = createClient({
  url: url.href.replace(/^http/, "ws"),
  connectionParams: { Authorization },
  webSocketImpl: WebSocket,
  lazy: false,
  retryAttempts: 0,
  on: { message: (message) => said.push(message) },
});
after(() => client.dispose());

const timeout = 30_000;

async function post(query, variables = {}) {
  const headers = { "Content-Type": "application/json", Accept: "application/json", Authorization };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
  const { data, errors } = await response.json();
  assert.deepEqual(errors, undefined);
  return data;
}

async function books(first) {
  return (await post("query ($first: Int) { books(first: $first) { nodes { id name } } }", { first })).books.nodes;
}

async function rate(bookId, rating = 5) {
  const mutation = "mutation ($input: RateBookInput!) { rateBook(input: $input) { ratingEdge { cursor node { id } } } }";
  return (await post(mutation, { input: { bookId, rating } })).rateBook.ratingEdge;
}

async function order(bookId, totalPrice = "12.50") {
  const mutation = "mutation ($input: PlaceOrderInput!) { placeOrder(input: $input) { orderEdge { cursor node { id } } } }";
  return (await post(mutation, { input: { bookId, totalPrice } })).placeOrder.orderEdge;
}

// The first result of an operation; or its errors, thrown.
async function ask(query, variables) {
  for await (const result of client.iterate({ query, variables })) return result;
}

// A subscription that has begun. Nobody is told when it does, so this writes until the first event comes: that is one of
// what was written, and the others that were written after it are still to come.
async function subscribe(query, variables, field, write) {
  const results = client.iterate({ query, variables });
  const next = async () => {
    const { value, done } = await results.next();
    assert.equal(done, false);
    assert.deepEqual(value.errors, undefined);
    return value.data[field];
  };
  const written = [];
  const first = next();
  let edge;
  while (edge === undefined) {
    written.push(await write());
    edge = await Promise.race([first, setTimeout(100)]);
  }
  const at = written.findIndex(({ node }) => node.id === edge.node.id);
  assert.notEqual(at, -1);
  return { next, first: edge, pending: written.slice(at + 1), end: () => results.return() };
}

function same(event, { cursor, node }) {
  assert.equal(event.node.id, node.id);
  assert.equal(event.cursor, cursor);
}

test("a query is answered once, and is over", { timeout }, async () => {
  const results = [];
  for await (const result of client.iterate({ query: "{ books(first: 1) { nodes { id name } } }" })) results.push(result);
  assert.deepEqual(results, [{ data: { books: { nodes: await books(1) } } }]);
});

test("a mutation runs with the token of its connection, and not without", { timeout }, async () => {
  const write = 'mutation { addBook(input: { name: "x", year: 0 }) { bookEdge { node { name } } } }';
  assert.equal((await ask(write)).data.addBook.bookEdge.node.name, "x");
  const stranger = createClient({ url: url.href.replace(/^http/, "ws"), webSocketImpl: WebSocket, retryAttempts: 0 });
  await assert.rejects(stranger.iterate({ query: write }).next(), ([error]) => error.extensions.code === "UNAUTHENTICATED");
  await stranger.dispose();
});

test("what is not valid is rejected with its code", { timeout }, async () => {
  const cases = [
    ["{", "GRAPHQL_PARSE_FAILED"],
    ["{ nothing }", "GRAPHQL_VALIDATION_FAILED"],
    ["subscription { nothing }", "GRAPHQL_VALIDATION_FAILED"],
  ];
  for (const [query, code] of cases) {
    await assert.rejects(ask(query), (errors) => {
      for (const { extensions } of errors) assert.equal(extensions.code, code);
      return errors.length > 0;
    });
  }
});

test("a rating that is added comes once, in order, as the edge that its mutation returned", { timeout }, async () => {
  const [book] = await books(1);
  const subscription = "subscription { ratingAdded { cursor node { id rating book { id name } } } }";
  const added = await subscribe(subscription, {}, "ratingAdded", () => rate(book.id));
  assert.deepEqual(added.first.node.book, book);
  for (const edge of added.pending) same(await added.next(), edge);

  const edges = [];
  for (const rating of [1, 2, 3, 4, 5]) edges.push(await rate(book.id, rating));
  for (const [index, edge] of edges.entries()) {
    const event = await added.next();
    same(event, edge);
    assert.equal(event.node.rating, index + 1);
  }
  await added.end();
});

test("the ratings of one book come without those of another", { timeout }, async () => {
  const [book, other] = await books(2);
  const subscription = "subscription ($bookId: ID) { ratingAdded(bookId: $bookId) { cursor node { id } } }";
  const added = await subscribe(subscription, { bookId: book.id }, "ratingAdded", () => rate(book.id));
  for (const edge of added.pending) same(await added.next(), edge);

  await rate(other.id);
  const edge = await rate(book.id);
  same(await added.next(), edge);
  await added.end();
});

test("an order that is placed comes once, in order, with its price", { timeout }, async () => {
  const [book] = await books(1);
  const subscription = "subscription { orderPlaced { cursor node { id totalPrice } } }";
  const placed = await subscribe(subscription, {}, "orderPlaced", () => order(book.id));
  for (const edge of placed.pending) same(await placed.next(), edge);

  for (const price of ["0.99", "100.01"]) {
    const edge = await order(book.id, price);
    const event = await placed.next();
    same(event, edge);
    assert.equal(Number(event.node.totalPrice), Number(price));
  }
  await placed.end();
});

test("after its disposal a subscription brings nothing", { timeout }, async () => {
  const [book] = await books(1);
  const subscription = "subscription { ratingAdded { cursor node { id } } }";
  const witness = await subscribe(subscription, {}, "ratingAdded", () => rate(book.id));
  for (const edge of witness.pending) same(await witness.next(), edge);

  const heard = [];
  const sink = { next: (result) => heard.push(result), error: assert.fail, complete: () => {} };
  const dispose = client.subscribe({ query: subscription }, sink);
  while (heard.length === 0) {
    const edge = await rate(book.id);
    same(await witness.next(), edge);
  }
  dispose();
  // An answer behind all that was said before the server knew. The client would keep from us what comes after it.
  await ask("{ __typename }");
  said.length = 0;
  for (let n = 0; n < 3; n += 1) {
    const edge = await rate(book.id);
    same(await witness.next(), edge);
  }
  await ask("{ __typename }");
  const ids = said.filter(({ type }) => type === "next").map(({ id }) => id);
  assert.equal(ids.length, 4);
  assert.equal(new Set(ids).size, 2);
  await witness.end();
});
