// The page without a bundle: `web/dist` is not there.
import assert from "node:assert/strict";
import { test } from "node:test";

import { goOn, isForgotten, origin, picture, token, visit } from "./browser.js";

async function run(page) {
  const answered = page.waitForResponse((response) => response.url().endsWith("/graphql"));
  await page.getByRole("button", { name: "Run" }).click();
  await answered;
  await page.locator("#answer", { hasText: "data" }).waitFor();
}

const answer = async (page) => JSON.parse(await page.locator("#answer").textContent());

test("the form runs the first query", () =>
  visit(async (page) => {
    assert.equal(await page.title(), "Bookends");
    await run(page);
    assert.equal((await answer(page)).data.ratings.edges.length, 5);
    await picture(page, "plain-light");
  }));

test("the form sends variables and a token", () =>
  visit(async (page) => {
    await page.getByLabel("Query").fill("query($n: Int) { books(first: $n) { nodes { name } } }");
    await page.getByLabel("Variables").fill('{ "n": 2 }');
    await page.getByLabel("Token").fill("secret");
    const request = page.waitForRequest((it) => it.method() === "POST");
    await run(page);
    assert.equal(await (await request).headerValue("authorization"), "Bearer secret");
    assert.equal((await answer(page)).data.books.nodes.length, 2);
  }));

const WRITE = 'mutation { addBook(input: { name: "x", year: 0 }) { bookEdge { node { name } } } }';

test("the form writes with the token of the URL, also after a reload", () =>
  visit(async (page) => {
    for (const year of [1, 2]) {
      assert.equal(page.url(), origin.href);
      assert.equal(await page.getByLabel("Token").inputValue(), token);
      await page.getByLabel("Query").fill(WRITE.replace("0", year));
      await run(page);
      assert.equal((await answer(page)).data.addBook.bookEdge.node.name, "x");
      assert(await isForgotten(page));
      await page.reload();
    }
    await goOn(page, "token=other");
    assert.equal(page.url(), origin.href);
    assert.equal(await page.getByLabel("Token").inputValue(), "other");
  }));

test("the form does not write without the token", () =>
  visit(
    async (page) => {
      await page.getByLabel("Query").fill(WRITE);
      await page.getByRole("button", { name: "Run" }).click();
      await page.locator("#answer", { hasText: "UNAUTHENTICATED" }).waitFor();
    },
    { url: origin },
  ));

test("the form says what is wrong with its variables", () =>
  visit(async (page) => {
    await page.getByLabel("Variables").fill("{");
    await page.getByLabel("Query").press("ControlOrMeta+Enter");
    await page.getByText("Not sent:").waitFor();
  }));

test("the form is dark for those who like it dark", () =>
  visit(
    async (page) => {
      await run(page);
      await picture(page, "plain-dark");
    },
    { colorScheme: "dark" },
  ));
