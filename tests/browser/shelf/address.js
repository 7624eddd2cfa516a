// What the address and the fields say that there is not.
import assert from "node:assert/strict";
import { test } from "node:test";

import { loaded, newest, open, row, rows, search } from "./page.js";

const alert = (page, text) => page.getByRole("alert").filter({ hasText: text });

for (const [at, text] of [
  ["?rating=nonsense", "That is not the id of a rating."],
  ["?page=nonsense", "That is not the number of a page."],
  ["?page=-3", "That is not the number of a page."],
  ["?page=0", "That is not the number of a page."],
  ["?page=1.5", "That is not the number of a page."],
  ["?page=99999999999", "That is not the number of a page."],
  ["?page=9999999", "cannot be opened by their number"],
]) {
  test(`an address with ${at} says what is wrong with it`, () =>
    open(
      async (page) => {
        await alert(page, text).waitFor();
        assert.equal(await page.locator(".skeleton").count(), 0, "nothing is about to come");
        assert.equal(await page.locator("[role=feed]").getAttribute("aria-busy"), "false");
        await page.getByRole("button", { name: "Show the first page" }).click();
        await loaded(page);
        assert.equal(await row(page, 0).getAttribute("data-id"), (await newest(1))[0]);
        await alert(page, text).waitFor({ state: "detached" });
        assert.equal(await search(page), "");
      },
      { at },
    ));
}

test("what an open list does not have leaves it as it is, and can be dismissed", () =>
  open(async (page) => {
    await loaded(page);
    const [first] = await newest(1);
    await page.getByLabel("Jump to a rating").fill("nonsense");
    await page.getByRole("button", { name: "Jump" }).click();
    await alert(page, "That is not the id of a rating.").waitFor();
    assert.equal(await row(page, 0).getAttribute("data-id"), first);
    assert.equal(await page.getByRole("button", { name: "Retry" }).count(), 0);
    await page.getByRole("button", { name: "Dismiss" }).click();
    await alert(page, "That is not the id of a rating.").waitFor({ state: "detached" });
  }));

test("what is not a year is said to be none, in the field and in the address", () =>
  open(async (page) => {
    const from = page.getByLabel("Published from");
    const problem = alert(page, "“19x0” is not a year.");
    const narrowed = async (to) => {
      await page.waitForFunction((at) => location.search === at, to);
      await loaded(page);
    };
    await loaded(page);
    await from.fill("19x0");
    await from.press("Enter");
    await problem.waitFor();
    assert.equal(await from.getAttribute("aria-invalid"), "true");
    assert.equal(await from.inputValue(), "19x0");
    await page.reload();
    await problem.waitFor();
    assert.equal(await from.inputValue(), "19x0");
    await loaded(page);
    await from.fill("1990");
    await from.press("Enter");
    await problem.waitFor({ state: "detached" });
    await narrowed("?from=1990");
    await page.getByText(/^(about|at least)/).waitFor();
    const years = await rows(page).locator(".book p span:first-child").allTextContents();
    assert(years.every((year) => Number(year) >= 1990), years.join());
  }));

test("a year that is none is said on a telephone too, where the filters are folded away", () =>
  open((page) => alert(page, "“19x0” is not a year.").waitFor(), { at: "?to=19x0", viewport: { width: 390, height: 844 } }));

test("the last page is the current one at the end of the list, and each page is current when it was gone to", () =>
  open(
    async (page) => {
      const isCurrent = (number) => page.locator("[aria-current=page]").getByText(number, { exact: true }).waitFor();
      const go = (name) => page.getByRole("button", { name, exact: true }).click();
      await row(page, 19_999).waitFor();
      await isCurrent("2,000");
      assert(await page.getByRole("button", { name: "Next page" }).isDisabled());
      // All of the last page and a part of the one before are in view together.
      await go("Previous page");
      await isCurrent("1,999");
      await go("Previous page");
      await isCurrent("1,998");
      await go("Next page");
      await go("Next page");
      await isCurrent("2,000");
      await go("Page 1");
      await row(page, 0).waitFor();
      await isCurrent("1");
      await page.evaluate(() => { document.querySelector(".scroller").scrollTop = 1e9; });
      await row(page, 19_999).waitFor();
      await isCurrent("2,000");
      await page.waitForFunction(() => location.search === "?page=2000");
    },
    { at: "?page=2000", viewport: { width: 1400, height: 1300 } },
  ));
