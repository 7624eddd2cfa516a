// What the tests of the page at `/shelf` have in common: a server of their own, and the rows of its list.
import assert from "node:assert/strict";
import { after } from "node:test";

import { Server } from "../server.js";

export const server = new Server();
process.env.BOOKENDS_URL = (await server.start()).href;
after(() => server.close());
export const { origin, picture, token, visit } = await import("../browser.js");

/** What the browser says of a server that is not there. */
export const AWAY = /^(fails: .*ERR_CONNECTION_REFUSED|logs (Failed to load resource|WebSocket connection))/;

export const shelf = (query = "") => new URL(`/shelf${query}#token=${token}`, origin);
export const open = (use, { at, ...options } = {}) => visit(use, { url: shelf(at), ...options });

export async function ask(query, variables) {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
  const response = await fetch(new URL("graphql", origin), { method: "POST", headers, body: JSON.stringify({ query, variables }) });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined);
  return data;
}

/** The ids of the first ratings, the newest first. */
export async function newest(count) {
  const ids = [];
  let after;
  while (ids.length < count) {
    const query = `query($after: String) { ratings(first: 100, after: $after, orderBy: { field: CREATED_AT, direction: DESC }) {
      nodes { id } pageInfo { endCursor } } }`;
    const { ratings } = await ask(query, { after });
    ids.push(...ratings.nodes.map(({ id }) => id));
    after = ratings.pageInfo.endCursor;
  }
  return ids;
}

export const rows = (page) => page.locator("article[data-id]");
export const loaded = (page) => rows(page).first().waitFor();
export const ids = (page) => rows(page).evaluateAll((all) => all.map(({ dataset }) => dataset.id));
export const stars = (page) => rows(page).locator("[role=img]").evaluateAll((all) => all.map((it) => it.ariaLabel));
export const row = (page, index) => page.locator(`article[data-id][data-index="${index}"]`);
export const search = (page) => page.evaluate(() => location.search);
