// The pager of docs/api.md, with the pages of a server that BOOKENDS_URL names.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

const url = new URL("/graphql", process.env.BOOKENDS_URL ?? "http://127.0.0.1:8000").href;
const manual = await readFile(new URL("../../docs/api.md", import.meta.url), "utf8");
const example = manual.match(/```js\n(export function pager[\s\S]*?)```/)[1];
const { pager } = await import(`data:text/javascript,${encodeURIComponent(example)}`);

async function cursors(args) {
  const query = `{ ratings(${args}) { pageCursors {
    first { page cursor } around { page cursor isCurrent } last { page cursor }
  } } }`;
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ query }),
  });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined);
  return data.ratings.pageCursors;
}

const shown = (pages) => pages.map((page) => page?.page ?? "…").join(" ");

test("a pager has numbers and gaps from page cursors alone", async () => {
  const { last } = await cursors("first: 10");
  assert.ok(last.page > 12, "the list is long enough to have gaps on both sides");
  for (const [number, expected] of [
    [1, `1 2 3 … ${last.page}`],
    [2, `1 2 3 4 … ${last.page}`],
    [4, `1 2 3 4 5 6 … ${last.page}`],
    [5, `1 … 3 4 5 6 7 … ${last.page}`],
    [last.page - 3, `1 … ${[5, 4, 3, 2, 1, 0].map((back) => last.page - back).join(" ")}`],
    [last.page, `1 … ${[2, 1, 0].map((back) => last.page - back).join(" ")}`],
  ]) {
    const pages = pager(await cursors(`first: 10, offset: ${(number - 1) * 10}`));
    assert.equal(shown(pages), expected);
    assert.equal(pages.find((page) => page?.isCurrent).page, number);
    // The cursor of each page opens it.
    for (const page of pages.filter((page) => page !== null)) {
      const opened = await cursors(`first: 10, after: ${JSON.stringify(page.cursor)}`);
      assert.equal(opened.around.find((around) => around.isCurrent).page, page.page);
    }
  }
});

test("an empty list has no pages", async () => {
  assert.deepEqual(pager(await cursors("where: { rating: { in: [] } }")), []);
});
