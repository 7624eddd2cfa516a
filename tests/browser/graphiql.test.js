// GraphiQL, as the committed bundle has it.
import assert from "node:assert/strict";
import { test } from "node:test";

import { goOn, isForgotten, origin, picture, token, visit } from "./browser.js";
import { TABS, answer, holds, openTab, ready, run, settled, text, write } from "./graphiql/page.js";

import "./graphiql/failures.js";
import "./graphiql/links.js";
import "./graphiql/looks.js";

test("the page opens with a tab for each thing to see", () =>
  visit(async (page) => {
    await ready(page);
    assert.equal(await page.title(), "bookshop");
    assert.deepEqual(await page.locator(".graphiql-tab-button").allTextContents(), TABS);
    assert.match(await text(page, "operation.graphql"), /^# The first five ratings/);
  }));

test("the first result is there when the page opens, beside a sentence and links", () =>
  visit(async (page) => {
    const { data } = await answer(page);
    assert.equal(data.ratings.edges.length, 5);
    assert.equal(data.ratings.pageInfo.hasPreviousPage, false);
    const line = page.locator(".graphiql-response .view-line").first();
    for (const shown of [line, page.getByText("whose lists page at a constant cost")]) {
      await shown.waitFor();
      const { y, height } = await shown.boundingBox();
      assert(y >= 0 && y + height <= 860, "it is on the first screen");
    }
    for (const name of ["Schema", "Demo"]) {
      const href = await page.getByRole("link", { name, exact: true }).getAttribute("href");
      assert.equal((await fetch(new URL(href, page.url()))).status, 200, href);
    }
    await page.getByRole("button", { name: "Docs", exact: true }).click();
    await page.locator(".graphiql-doc-explorer").waitFor();
  }));

test("/graphql is the page too", () =>
  visit(
    async (page) => {
      await ready(page);
      assert.equal((await answer(page)).data.ratings.edges.length, 5);
    },
    { url: new URL("/graphql", origin) },
  ));

test("keys reach and open every tab", () =>
  visit(async (page) => {
    await answer(page);
    await page.locator(".graphiql-tab-button").first().focus();
    const focused = () => page.evaluate(() => document.activeElement.textContent);
    for (const name of TABS) {
      for (let presses = 0; (await focused()) !== name; presses += 1) {
        assert(presses < 3, `${name} is not among the next elements`);
        await page.keyboard.press("Tab");
      }
      await page.keyboard.press("Enter");
      await page.locator(".graphiql-tab-active", { hasText: name }).waitFor();
    }
  }));

test("panes are below each other on a telephone, and every tab opens by touch", () =>
  visit(
    async (page) => {
      await answer(page);
      for (const name of TABS) {
        await page.locator(".graphiql-tab-button", { hasText: new RegExp(`^${name}$`) }).tap();
        await page.locator(".graphiql-tab-active", { hasText: name }).waitFor();
        const box = (selector) => page.locator(selector).boundingBox();
        const [editors, response] = [await box(".graphiql-editors"), await box(".graphiql-response")];
        assert(response.y >= editors.y + editors.height, "the response is below the editors");
        assert(editors.width > 300 && response.width > 300, "each has the width of the window");
        assert(response.height > 200, `${response.height} pixels show the response`);
      }
    },
    { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
  ));

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

test("the subscription says that it listens, and offers the mutation that it hears of", () =>
  visit(async (page) => {
    await ready(page);
    await openTab(page, "RatingAdded");
    await page.getByRole("status").filter({ hasText: "to listen" }).waitFor();
    const opening = new Promise((resolve) => {
      page.on("websocket", (socket) =>
        socket.on("framesent", ({ payload }) => payload.includes('"type":"connection_init"') && resolve(payload)),
      );
    });
    await page.getByRole("button", { name: "Execute query" }).click();
    await page.getByRole("status").filter({ hasText: "Listening" }).waitFor();
    assert((await opening).includes(`"Authorization":"Bearer ${token}"`), await opening);
    // The server takes the subscription up at some time after it was sent.
    const rate = () => page.getByRole("button", { name: "Rate a book" }).click();
    await rate();
    const again = setInterval(() => rate().catch(() => undefined), 1000);
    const { ratingAdded } = (await answer(page).finally(() => clearInterval(again))).data;
    assert.equal(ratingAdded.node.rating, 4);
    await picture(page, "rating-added");
    await page.getByRole("button", { name: "Stop query" }).click();
    await page.getByRole("status").filter({ hasText: "to listen" }).waitFor();
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
    await docs.getByText("A book in the shop.").waitFor();
    await docs.getByRole("link", { name: "averageRating" }).waitFor();
    await picture(page, "documentation");
  }));

test("a field's type and description show under the pointer", () =>
  visit(async (page) => {
    await answer(page);
    await page.locator(".graphiql-query-editor .view-line span", { hasText: /^createdAt$/ }).last().hover();
    await page.locator(".monaco-hover", { hasText: "Rating.createdAt" }).waitFor();
  }));

test("variables are checked against the query", () =>
  visit(async (page) => {
    await answer(page);
    await openTab(page, "NextRatings");
    await write(page, "Variables", '{ "after": 5');
    await page.locator('section[aria-label="Variables"] .squiggly-warning, section[aria-label="Variables"] .squiggly-error').waitFor();
  }));

test("the editor prettifies, finds, and folds", () =>
  visit(async (page) => {
    await answer(page);
    await page.getByRole("button", { name: "New tab" }).click();
    await write(page, "Operation Editor", "{ratings{edges{cursor");
    await write(page, "Variables", '{"a":1');
    await page.getByRole("button", { name: "Prettify query" }).click();
    await holds(page, "operation.graphql", "{\n  ratings {\n    edges {\n      cursor\n    }\n  }\n}");
    await holds(page, "variables.json", '{\n  "a": 1\n}');
    await page.locator(".graphiql-query-editor .monaco-editor").first().click();
    await page.keyboard.press("ControlOrMeta+F");
    await page.keyboard.type("cursor");
    await page.locator(".find-widget .matchesCount", { hasText: "1 of 1" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".graphiql-query-editor .codicon-folding-expanded").first().click({ force: true });
    await page.locator(".graphiql-query-editor .codicon-folding-collapsed").first().waitFor();
  }));

test("the explorer builds a query by clicks", () =>
  visit(async (page) => {
    await answer(page);
    await page.getByRole("button", { name: "Show GraphiQL Explorer" }).click();
    assert.doesNotMatch(await text(page, "operation.graphql"), /startCursor/);
    await page.locator('.graphiql-explorer-root [data-field-name="startCursor"]').first().click();
    await page.waitForFunction(() =>
      globalThis.__MONACO.editor.getModels().some((it) => it.uri.path.endsWith("operation.graphql") && it.getValue().includes("startCursor")));
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
