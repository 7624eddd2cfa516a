// The server that BOOKENDS_URL names (the URL that it prints, with its token), as plain HTTP sees it: what the clients are
// compared with.
import assert from "node:assert/strict";
import net from "node:net";

const { BOOKENDS_URL } = process.env;
assert(BOOKENDS_URL, "BOOKENDS_URL names the server");
const printed = new URL(BOOKENDS_URL);
export const url = new URL("/graphql", printed).href;
export const authorization = `Bearer ${new URLSearchParams(printed.hash.slice(1)).get("token")}`;

/** The response to a request. */
export async function post(query, variables = {}) {
  const headers = { "Content-Type": "application/json", Authorization: authorization };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
  return response.json();
}

/** The data of a request without errors. */
export async function ask(query, variables) {
  const { data, errors } = await post(query, variables);
  assert.equal(errors, undefined, JSON.stringify(errors));
  return data;
}

/** The first or last ratings in the order of the walks, the highest first, by page number: no cursor is involved. */
export async function ratings(count, end = "first") {
  const query = `query ($offset: Int) {
    ratings(${end}: 100, offset: $offset, orderBy: { field: RATING, direction: DESC }) { edges { cursor node { id } } }
  }`;
  const edges = [];
  for (let offset = 0; offset < count; offset += 100) {
    const page = (await ask(query, { offset })).ratings.edges;
    edges.splice(end === "first" ? edges.length : 0, 0, ...page);
  }
  assert(edges.length >= count, `the server has only ${edges.length} ratings`);
  return end === "first" ? edges.slice(0, count) : edges.slice(-count);
}

/** A new book with these ratings: its id, and theirs. */
export async function book(...stars) {
  const { addBook } = await ask(`mutation {
    addBook(input: { name: "A book for a test", year: 2026 }) { bookEdge { node { id } } }
  }`);
  const { id } = addBook.bookEdge.node;
  const given = [];
  for (const rating of stars) given.push(await rate(id, rating));
  return { id, ratings: given };
}

/** Rates a book elsewhere, as another client would. Returns the id of the rating. */
export async function rate(bookId, rating) {
  const mutation = "mutation ($input: RateBookInput!) { rateBook(input: $input) { ratingEdge { node { id } } } }";
  return (await ask(mutation, { input: { bookId, rating } })).rateBook.ratingEdge.node.id;
}

/** The ids of the first 100 ratings of a book, the newest first. */
export async function ratingsOf(id) {
  const query = `query ($id: ID!) {
    book(by: { id: $id }) { ratings(first: 100, orderBy: { field: CREATED_AT, direction: DESC }) { nodes { id } } }
  }`;
  return (await ask(query, { id })).book.ratings.nodes.map((node) => node.id);
}

/** The way to the server for WebSockets, which can be interrupted and restored. */
export async function way() {
  const { hostname, port } = printed;
  const sockets = new Set();
  let isOpen = true;
  const listener = net.createServer((near) => {
    if (!isOpen) return near.destroy();
    const far = net.connect(port, hostname);
    for (const [from, to] of [[near, far], [far, near]]) {
      sockets.add(from);
      from.pipe(to).on("error", () => {});
      from.on("close", () => { sockets.delete(from); to.destroy(); });
    }
  });
  await new Promise((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const interrupt = () => {
    isOpen = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `ws://127.0.0.1:${listener.address().port}/graphql`,
    interrupt,
    restore: () => { isOpen = true; },
    close: () => { interrupt(); listener.close(); },
  };
}
