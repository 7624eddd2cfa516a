// The demo page at `/shelf`, as the committed bundle has it, with a server of its own.
import assert from "node:assert/strict";
import { test } from "node:test";

import { AWAY, ask, ids, loaded, newest, open, origin, row, search, server, shelf, stars, visit } from "./shelf/page.js";

import "./shelf/address.js";
import "./shelf/keys.js";
import "./shelf/looks.js";
import "./shelf/rating.js";

/** Scrolls to a row, screen by screen; the ids of all rows on the way, by their positions, and the most rows at a time. */
const walk = (page, to) =>
  page.evaluate(async (target) => {
    const scroller = document.querySelector(".scroller");
    const seen = {};
    let most = 0;
    const frame = () => new Promise(requestAnimationFrame);
    const box = (it) => it.getBoundingClientRect();
    const inView = () => {
      const { top, bottom } = box(scroller);
      const articles = [...document.querySelectorAll("article")];
      most = Math.max(most, articles.length);
      const seen = articles.filter((it) => box(it).bottom > top + 1 && box(it).top < bottom - 1);
      const isFull = seen.length > 0 && box(seen[0]).top <= top + 1 && box(seen.at(-1)).bottom >= bottom - 1;
      return { seen, isFull: isFull && seen.every(({ dataset }) => dataset.id) };
    };
    const settled = async () => {
      const end = performance.now() + 20_000;
      for (;;) {
        await frame();
        const { seen: articles, isFull } = inView();
        if (isFull) return articles;
        if (performance.now() > end) throw new Error(`rows do not come: ${articles.map(({ dataset }) => dataset.index)}`);
      }
    };
    for (;;) {
      const articles = await settled();
      for (const { dataset } of articles) (seen[dataset.index] ??= new Set()).add(dataset.id);
      const [first, last] = [articles[0], articles.at(-1)].map(({ dataset }) => Number(dataset.index));
      if (first <= target && target <= last) break;
      const screen = scroller.clientHeight - 80;
      scroller.scrollTop += target > last ? screen : -screen;
    }
    return { most, seen: Object.entries(seen).map(([index, at]) => [Number(index), [...at]]) };
  }, to);

async function heap(page, session) {
  await session.send("HeapProfiler.collectGarbage");
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === "JSHeapUsedSize").value;
}

test("c1 the list is walked 5,000 rows deep and back without a gap or a duplicate, through a restart", async () => {
  const expected = await newest(5_100);
  await open(
    async (page) => {
      await loaded(page);
      const session = await page.context().newCDPSession(page);
      await session.send("Performance.enable");
      const check = ({ most, seen }) => {
        assert(most <= 40, `${most} rows in the document`);
        for (const [index, found] of seen) assert.deepEqual(found, [expected[index]], `row ${index}`);
        return seen.map(([index]) => index);
      };
      const reached = new Set(check(await walk(page, 1_000)));
      const before = await heap(page, session);
      await server.stop();
      await page.evaluate(() => { document.querySelector(".scroller").scrollTop += 3_000; });
      await page.getByRole("alert").filter({ hasText: "The server does not answer" }).waitFor();
      await server.start();
      await page.getByRole("alert").waitFor({ state: "detached" });
      await page.getByText("live", { exact: true }).waitFor();
      check(await walk(page, 1_000)).forEach((index) => reached.add(index));
      check(await walk(page, 5_000)).forEach((index) => reached.add(index));
      assert.equal(reached.size, [...reached].at(-1) + 1, "every row was in view");
      const back = check(await walk(page, 0));
      assert.deepEqual(back.length, 1 + Math.max(...back), "every row was in view on the way back");
      const grown = (await heap(page, session)) - before;
      assert(grown < 4_000_000, `the heap has grown by ${grown} bytes`);
    },
    { tolerated: AWAY },
  );
});

test("sort, filter and search are in the URL, and the back button takes them back", () =>
  open(async (page) => {
    await loaded(page);
    await page.getByLabel("Order").selectOption("Best first");
    await page.waitForFunction(() => [...document.querySelectorAll("article[data-id] [role=img]")].every((it) => it.ariaLabel === "5 of 5 stars"));
    assert.equal(await search(page), "?sort=best");
    await page.getByRole("checkbox", { name: "2 stars" }).check();
    await page.locator("[role=img][aria-label='2 of 5 stars']").first().waitFor();
    assert.equal(new Set(await stars(page)).size, 1);
    assert.equal(await search(page), "?sort=best&stars=2");
    await page.getByText(/^(about|at least)/).waitFor();
    await page.getByRole("button", { name: "Count exactly" }).click();
    const { ratings } = await ask("{ ratings(where: { rating: { in: [2] } }) { totalCount } }");
    await page.getByText("exactly").waitFor();
    assert.equal(await page.locator(".count strong").textContent(), ratings.totalCount.toLocaleString("en"));
    await page.getByLabel("Search titles").fill("fifth symph*");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("heading", { name: /fifth symph/i }).first().waitFor();
    assert.equal(await search(page), "?sort=best&stars=2&search=fifth+symph*");
    const found = await page.locator("article[data-id] h2").allTextContents();
    assert(found.every((title) => /fifth symph/i.test(title)), found.join());
    await page.reload();
    await page.getByRole("heading", { name: /fifth symph/i }).first().waitFor();
    for (const expected of ["?sort=best&stars=2", "?sort=best", ""]) {
      await page.goBack();
      await page.waitForFunction((at) => location.search === at, expected);
      await loaded(page);
    }
    assert.equal(await page.getByLabel("Order").inputValue(), "newest");
    assert.equal((await ids(page))[0], (await newest(1))[0]);
  }));

test("k2 a page is opened by its number, and its cost is shown", () =>
  open(async (page) => {
    await loaded(page);
    await page.getByLabel("Go to page").fill("451");
    await page.getByLabel("Go to page").press("Enter");
    const expected = await newest(4_520);
    await row(page, 4_500).waitFor();
    assert.equal(await row(page, 4_500).getAttribute("data-id"), expected[4_500]);
    await page.waitForFunction(() => location.search === "?page=451");
    const cost = page.getByRole("row", { name: /^451 by number, 4,500 keys skipped/ });
    await cost.waitFor();
    // Its neighbour is read by cursor, with its own two neighbours.
    assert.match(await page.getByRole("row", { name: /^452 by cursor/ }).textContent(), /ms12$/);
    await page.goBack();
    await row(page, 0).waitFor();
  }));

test("k3 the list opens at a rating", () =>
  open(async (page) => {
    await loaded(page);
    const expected = await newest(3_010);
    await page.getByLabel("Jump to a rating").fill(expected[3_000]);
    await page.getByRole("button", { name: "Jump" }).click();
    await page.locator(`.marked[data-index="3000"][data-id="${expected[3_000]}"]`).waitFor();
    assert.equal(await search(page), `?rating=${expected[3_000]}`);
    assert.equal(await row(page, 3_003).getAttribute("data-id"), expected[3_003]);
    await page.getByLabel("Jump to a rating").fill("nonsense");
    await page.getByRole("button", { name: "Jump" }).click();
    await page.getByRole("alert").filter({ hasText: "not the id of a rating" }).waitFor();
    // The list goes on as if nothing had been asked.
    await walk(page, 3_100);
  }));

test("a page behind the last one opens the last one", () =>
  open(
    async (page) => {
      await row(page, 19_999).waitFor();
      await page.waitForFunction(() => location.search === "?page=2000");
    },
    { at: "?page=2500" },
  ));

test("g2 a rating that is posted appears in its place, and in another window", () =>
  open(async (page) => {
    await loaded(page);
    const other = await page.context().newPage();
    const subscribed = other.waitForEvent("websocket").then((socket) =>
      socket.waitForEvent("framereceived", ({ payload }) => payload.includes("connection_ack")),
    );
    await other.goto(shelf("?sort=best").href);
    await subscribed;
    await loaded(other);
    const [title, second] = [await row(page, 3).locator("h2").textContent(), await row(page, 0).getAttribute("data-id")];
    await row(page, 3).getByRole("button", { name: `Rate ${title}` }).click();
    await page.getByRole("radio", { name: "5 stars" }).check();
    await page.getByRole("button", { name: "Post rating" }).click();
    await page.locator(".marked[data-index='0']").waitFor();
    assert.equal(await row(page, 0).locator("h2").textContent(), title);
    assert.equal(await row(page, 1).getAttribute("data-id"), second);
    const id = await row(page, 0).getAttribute("data-id");
    // It is the newest of those with five stars.
    await other.locator(`article[data-index="0"][data-id="${id}"]`).waitFor();
    await page.waitForFunction(() => document.querySelector(".count strong").textContent === "20,001");
    await ask("mutation($id: ID!) { deleteRating(input: { id: $id }) { deletedId } }", { id });
  }));

test("without the token, the page says that it may only read", () =>
  visit(
    async (page) => {
      await loaded(page);
      await row(page, 0).getByRole("button", { name: /^Rate/ }).click();
      await page.getByRole("radio", { name: "5 stars" }).check();
      await page.getByRole("button", { name: "Post rating" }).click();
      await page.getByRole("alert").filter({ hasText: "This page may only read" }).waitFor();
    },
    { url: new URL("/shelf", origin), tolerated: /401/ },
  ));

test("a request that fails is repeated when the reader asks for it", () =>
  open(
    async (page) => {
      await page.route("**/graphql", (route) => route.fulfill({ status: 500, body: "{}" }));
      await page.goto(shelf("?sort=oldest").href);
      const problem = page.getByRole("alert");
      await problem.waitFor();
      await page.unroute("**/graphql");
      await problem.getByRole("button", { name: "Retry" }).click();
      await loaded(page);
      await problem.waitFor({ state: "detached" });
    },
    { tolerated: /500/ },
  ));

test("keys move the focus, by rows and by pages", () =>
  open(async (page) => {
    await loaded(page);
    const focused = (index) => page.locator(`article[data-id][data-index="${index}"]:focus`).waitFor();
    await row(page, 0).focus();
    for (const [key, index] of [["ArrowDown", 1], ["PageDown", 11], ["PageDown", 21], ["ArrowUp", 20], ["PageUp", 10]]) {
      await page.keyboard.press(key);
      await focused(index);
    }
    const { posinset, setsize } = await row(page, 10).evaluate((it) => ({ posinset: it.ariaPosInSet, setsize: it.ariaSetSize }));
    assert.deepEqual({ posinset, setsize }, { posinset: "11", setsize: "20000" });
  }));

test("End and Home go to the ends of the list, however they follow one another", () =>
  open(async (page) => {
    await loaded(page);
    await row(page, 0).focus();
    const focused = (index) => page.locator(`article[data-id][data-index="${index}"]:focus`).waitFor();
    const [first] = await newest(1);
    const reach = async (index) => {
      await focused(index);
      assert(await row(page, index).evaluate((it) => {
        const [{ top, bottom }, frame] = [it.getBoundingClientRect(), it.closest(".scroller").getBoundingClientRect()];
        return top >= frame.top - 1 && bottom <= frame.bottom + 1;
      }), `row ${index} is in view`);
      // Nothing of what was asked for before moves the view later on.
      await page.waitForFunction((at) => location.search === at, index === 0 ? "" : "?page=2000");
      await focused(index);
    };
    for (let time = 0; time < 3; time += 1) {
      await page.keyboard.press("End");
      await reach(19_999);
      await page.keyboard.press("Home");
      await reach(0);
      assert.equal(await row(page, 0).getAttribute("data-id"), first);
    }
    for (const keys of [["End", "Home"], ["End", "Home", "End"], ["End", "Home", "End", "Home"]]) {
      // The end is still loading when the next key is pressed.
      for (const key of keys) await page.keyboard.press(key);
      await reach(keys.at(-1) === "End" ? 19_999 : 0);
    }
  }));
