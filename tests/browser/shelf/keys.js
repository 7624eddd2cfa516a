// The page without a mouse.
import assert from "node:assert/strict";
import { test } from "node:test";

import { loaded, open, row, search } from "./page.js";

test("Tab goes from a row to its controls, and from the last one out of the list", () =>
  open(async (page) => {
    await loaded(page);
    const focused = () => page.evaluate(() => document.activeElement.textContent);
    await row(page, 0).focus();
    await page.keyboard.press("ArrowDown");
    await page.locator("article[data-index='1']:focus").waitFor();
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Rate");
    await page.keyboard.press("Tab");
    assert.equal(await focused(), "Link");
    const id = await row(page, 1).getAttribute("data-id");
    await page.keyboard.press("Enter");
    await page.locator(`.marked[data-id="${id}"]`).waitFor();
    assert.equal(await search(page), `?rating=${id}`);
    await row(page, 1).getByRole("link").focus();
    await page.keyboard.press("Tab");
    assert.equal(await page.evaluate(() => document.activeElement.closest("[role=feed]")), null);
    await page.keyboard.press("Shift+Tab");
    assert.equal(await focused(), "Link");
  }));
