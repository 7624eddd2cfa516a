// What URLs open.
import assert from "node:assert/strict";
import { test } from "node:test";

import { origin, token, visit } from "../browser.js";
import { TABS, answer, holds, ready, run, settled, text } from "./page.js";

const two = "query Two($first: Int) { ratings(first: $first) { totalCount } }\nquery Three { books(first: 3) { nodes { name } } }";
const link = (parameters) => new URL(`/?${new URLSearchParams(parameters)}#token=${token}`, origin);
const titles = (page) => page.locator(".graphiql-tab-button").allTextContents();

test("a URL with a query opens it in a tab of its own, and does not run it", () => {
  const query = "mutation Rate { __typename }";
  return visit(
    async (page) => {
      const posted = [];
      page.on("request", (request) => request.postData()?.includes("mutation Rate") && posted.push(request));
      await holds(page, "operation.graphql", query);
      assert.deepEqual(await titles(page), ["Rate", ...TABS]);
      // Another visit opens the same tab.
      await page.waitForFunction(() => localStorage["bookends:graphiql:tabState"]?.includes("mutation Rate"));
      await page.reload();
      await holds(page, "operation.graphql", query);
      assert.deepEqual(await titles(page), ["Rate", ...TABS]);
      await settled(page);
      assert.equal(posted.length, 0);
    },
    { url: link({ query }) },
  );
});

test("a URL has variables for its query, beside the tabs of an earlier visit", () =>
  visit(async (page) => {
    await answer(page);
    await page.waitForFunction(() => localStorage["bookends:graphiql:tabState"]?.includes("RatingAdded"));
    await page.goto(link({ query: "query Two($first: Int) { ratings(first: $first) { nodes { rating } } }", variables: '{"first":2}' }).href);
    await holds(page, "variables.json", '{\n  "first": 2\n}');
    assert.deepEqual(await titles(page), [...TABS, "Two"]);
    assert.equal((await run(page)).data.ratings.nodes.length, 2);
    assert.match(await text(page, "request-headers.json"), new RegExp(token));
  }));

test("a URL names one of several operations", () =>
  visit(
    async (page) => {
      await ready(page);
      await page.locator(".graphiql-tab-active", { hasText: "Three" }).waitFor();
      await page.evaluate(() => globalThis.__MONACO.editor.getEditors()[0].focus());
      await page.keyboard.press("ControlOrMeta+Enter");
      assert.equal((await answer(page)).data.books.nodes.length, 3);
    },
    { url: link({ query: two, operationName: "Three" }) },
  ));

for (const at of ["/", "/shelf"]) {
  test(`${at} links the licences of its parts`, () =>
    visit(
      async (page) => {
        const href = await page.getByRole("link", { name: "Licences" }).getAttribute("href");
        const response = await fetch(new URL(href, page.url()));
        assert.equal(response.status, 200);
        assert.equal(response.headers.get("Content-Type"), "text/plain; charset=utf-8");
        const licences = await response.text();
        const parts = at === "/"
          ? ["graphiql", "monaco-editor", "react-dom", "graphql-ws", "zustand", "nodejs path library", "markedjs", "DOMPurify", "Apache License"]
          : ["react-dom", "react-relay", "relay-runtime", "graphql-ws", "@tanstack/react-virtual"];
        for (const part of parts) assert(licences.includes(part), part);
        // Each title is followed by a text.
        assert.doesNotMatch(licences, /\)\n\n-{80}/);
      },
      { url: new URL(`${at}#token=${token}`, origin) },
    ));
}
