// The page as the bundle has it: `npm --prefix web run build` comes first.
import assert from "node:assert/strict";
import { test } from "node:test";

import { goOn, isForgotten, origin, picture, token, visit } from "./browser.js";

const TABS = ["Ratings", "NextRatings", "Books", "Search", "RateBook", "RatingAdded"];

const api = new URL("graphql", origin);
const ask = async (query) => {
  const headers = { "Content-Type": "application/json", Authorization: `Bearer ${token}` };
  await fetch(api, { method: "POST", headers, body: JSON.stringify({ query }) });
};

/** What an editor holds, beyond the lines that are in view. */
const text = (page, name) =>
  page.evaluate((end) => globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith(end)).getValue(), name);

const ready = (page) => page.locator(".graphiql-query-editor .view-line").first().waitFor();

async function openTab(page, name) {
  await page.locator(".graphiql-tab-button", { hasText: new RegExp(`^${name}$`) }).click();
  await settled(page);
}

/** The editor looks which operation a text has when it has not changed for a tenth of a second. */
const settled = (page) => page.waitForTimeout(300);

/** Runs the tab that is open; the answer. */
async function run(page) {
  await page.getByRole("button", { name: "Execute query" }).click();
  return answer(page);
}

async function answer(page) {
  for (let tries = 0; tries < 100; tries += 1) {
    const json = await text(page, "response.json");
    if (json) return JSON.parse(json);
    await page.waitForTimeout(100);
  }
  throw new Error("there is no answer");
}

/** Types into an editor that takes the place of its whole text. */
async function write(page, section, value) {
  await page.locator(`section[aria-label="${section}"] .monaco-editor:visible`).first().click();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.press("Delete");
  await page.keyboard.type(value);
}

test("the page opens with a tab for each thing to see", () =>
  visit(async (page) => {
    await ready(page);
    assert.equal(await page.title(), "Bookends");
    assert.deepEqual(await page.locator(".graphiql-tab-button").allTextContents(), TABS);
    assert.match(await text(page, "operation.graphql"), /^# The first five ratings/);
  }));

test("the first tab runs", () =>
  visit(async (page) => {
    await ready(page);
    const { data } = await run(page);
    assert.equal(data.ratings.edges.length, 5);
    assert.equal(data.ratings.pageInfo.hasPreviousPage, false);
    await picture(page, "ratings-light");
  }));

test("the second tab has the cursor at which the first page of the sample ends", () =>
  visit(async (page) => {
    await ready(page);
    const first = (await run(page)).data.ratings.pageInfo;
    await openTab(page, "NextRatings");
    assert.equal(JSON.parse(await text(page, "variables.json")).after, first.endCursor);
    const { data } = await run(page);
    assert.equal(data.ratings.edges.length, 5);
    assert.equal(data.ratings.pageInfo.hasPreviousPage, true);
    await picture(page, "next-ratings");
  }));

test("the other queries run", () =>
  visit(async (page) => {
    await ready(page);
    await openTab(page, "Books");
    const { books } = (await run(page)).data;
    assert.equal(books.edges.length, 3);
    assert(books.edges[0].node.ratings.edges.length > 0);
    await picture(page, "books");
    await openTab(page, "Search");
    const found = (await run(page)).data.books;
    assert(found.edges.length > 0 && found.edges.every(({ node }) => /fifth symph/i.test(node.name)), JSON.stringify(found));
    await picture(page, "search");
  }));

test("the mutation runs", () =>
  visit(async (page) => {
    await ready(page);
    await openTab(page, "RateBook");
    const { rateBook } = (await run(page)).data;
    assert.equal(rateBook.ratingEdge.node.rating, 4);
    assert(rateBook.previousEdgeCursor, "those with five stars come first");
    await picture(page, "rate-book");
  }));

test("the subscription hears of a new rating", () =>
  visit(async (page) => {
    await ready(page);
    await openTab(page, "RateBook");
    const mutation = await text(page, "operation.graphql");
    await openTab(page, "RatingAdded");
    let opening;
    const subscribed = new Promise((resolve) => {
      page.on("websocket", (socket) =>
        socket.on("framesent", ({ payload }) => {
          if (payload.includes('"type":"connection_init"')) opening = payload;
          if (payload.includes('"type":"subscribe"')) resolve();
        }),
      );
    });
    await page.getByRole("button", { name: "Execute query" }).click();
    await subscribed;
    // The server takes the subscription up at some time after it was sent.
    const again = setInterval(() => ask(mutation), 500);
    const { ratingAdded } = (await answer(page).finally(() => clearInterval(again))).data;
    assert.equal(ratingAdded.node.rating, 4);
    assert(opening.includes(`"Authorization":"Bearer ${token}"`), opening);
    await picture(page, "rating-added");
  }));

/** The request headers of the tab that is open. */
const headers = (page) => text(page, "request-headers.json");

test("the token of the URL is in the headers of every tab, also after a reload", () =>
  visit(async (page) => {
    const expected = JSON.stringify({ Authorization: `Bearer ${token}` }, null, 2);
    for (const _ of ["opened", "reloaded"]) {
      await ready(page);
      assert.equal(page.url(), origin.href);
      assert.equal(await headers(page), expected);
      await openTab(page, "RateBook");
      assert.equal(await headers(page), expected);
      assert.equal((await run(page)).data.rateBook.ratingEdge.node.rating, 4);
      await page.getByRole("button", { name: "New tab" }).click();
      assert.equal(await headers(page), expected);
      await page.waitForFunction(() => localStorage["bookends:graphiql:tabState"]?.includes("<untitled>"));
      assert(await isForgotten(page));
      await page.reload();
    }
    await ready(page);
    await page.getByRole("button", { name: "Show History" }).click();
    await page.locator(".graphiql-history-item-label", { hasText: "RateBook" }).first().click();
    await settled(page);
    assert.equal(await headers(page), expected);
    assert.match(await text(page, "operation.graphql"), /mutation RateBook/);
    await picture(page, "history");
  }));

test("another token replaces it", () =>
  visit(async (page) => {
    await ready(page);
    await goOn(page, "token=other");
    await ready(page);
    assert.equal(page.url(), origin.href);
    assert.match(await headers(page), /"Bearer other"/);
  }));

// What Chromium logs for it.
const REFUSED = "logs Failed to load resource: the server responded with a status of 401 (Unauthorized)";

test("the mutation is refused without the token", () =>
  visit(
    async (page) => {
      await ready(page);
      await openTab(page, "RateBook");
      const { errors } = await run(page);
      assert.equal(errors[0].extensions.code, "UNAUTHENTICATED");
    },
    { url: origin, expected: [REFUSED] },
  ));

test("a token that is typed goes with the request", () =>
  visit(async (page) => {
    await ready(page);
    await page.getByRole("button", { name: "Headers" }).click();
    await picture(page, "headers");
    // The editor closes the brackets and quotes that are typed.
    await write(page, "Headers", '{ "Authorization": "Bearer secret');
    const request = page.waitForRequest((it) => it.method() === "POST" && it.postData().includes("query Ratings"));
    await run(page);
    assert.equal(await (await request).headerValue("authorization"), "Bearer secret");
  }));

test("the editor completes names, and marks those that do not exist", () =>
  visit(async (page) => {
    await ready(page);
    await page.getByRole("button", { name: "New tab" }).click();
    await write(page, "Operation Editor", "{ rat");
    const suggestion = page.locator(".suggest-widget .monaco-list-row", { hasText: "ratings" });
    await suggestion.waitFor();
    await picture(page, "completion");
    await suggestion.click();
    assert.match(await text(page, "operation.graphql"), /^\{ ratings/);
    await write(page, "Operation Editor", "{ reviews ");
    await page.locator(".graphiql-query-editor .squiggly-error").waitFor();
  }));

test("the documentation opens and shows a type", () =>
  visit(async (page) => {
    await ready(page);
    await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
    const docs = page.locator(".graphiql-doc-explorer");
    await docs.getByRole("link", { name: "Query", exact: true }).first().click();
    await docs.getByRole("link", { name: "Book", exact: true }).first().click();
    await docs.getByText("A book of the shop.").waitFor();
    await docs.getByRole("link", { name: "averageRating" }).waitFor();
    await picture(page, "documentation");
  }));

test("the explorer builds a query by clicks", () =>
  visit(async (page) => {
    await ready(page);
    await page.getByRole("button", { name: "Show GraphiQL Explorer" }).click();
    await page.locator(".docExplorerWrap, .graphiql-explorer-root").first().waitFor();
    await page.getByText("asOf").first().waitFor();
    await picture(page, "explorer");
  }));

test("the page is dark for those who like it dark", async () => {
  const background = (page) => page.locator(".graphiql-container").evaluate((it) => getComputedStyle(it).backgroundColor);
  const seen = [];
  for (const colorScheme of ["light", "dark"]) {
    await visit(
      async (page) => {
        await ready(page);
        await run(page);
        seen.push(await background(page));
        await picture(page, `theme-${colorScheme}`);
      },
      { colorScheme },
    );
  }
  assert.deepEqual(seen, ["rgb(255, 255, 255)", "rgb(33, 42, 59)"]);
});
