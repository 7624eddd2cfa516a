// A rating is given on the page.
import assert from "node:assert/strict";
import { test } from "node:test";

import { ask, loaded, newest, open, row, shelf } from "./page.js";

const isRating = (request) => request.postData()?.includes("documentsRateMutation") ?? false;

/** Opens the form for the book of this row. */
async function openForm(page, index) {
  await row(page, index).getByRole("button", { name: /^Rate/ }).click();
  await page.getByRole("dialog").waitFor();
}

const choose = (page, stars) => page.getByRole("radio", { name: stars === 1 ? "1 star" : `${stars} stars` }).check();
const elsewhere = (page) => page.getByText("Your rating stands elsewhere");

/** Takes the newest rating away, as if it had not been given. */
async function takeBack() {
  const [id] = await newest(1);
  await ask("mutation($id: ID!) { deleteRating(input: { id: $id }) { deletedId } }", { id });
}

/** Posts a rating of the row 2; the response of the mutation and the event come in this order. */
async function post(page, { eventFirst }) {
  const [before] = await newest(1);
  let pass;
  const isFirst = new Promise((resolve) => { pass = resolve; });
  const added = page.locator(`article[data-index="0"][data-id]:not([data-id="${before}"])`);
  await page.route("**/graphql", async (route) => {
    if (!isRating(route.request())) return route.fallback();
    const response = await route.fetch();
    if (eventFirst) await added.waitFor();
    await route.fulfill({ response });
    await page.getByRole("dialog").waitFor({ state: "detached" });
    return pass();
  });
  await page.routeWebSocket(/graphql/, (socket) => {
    const server = socket.connectToServer();
    server.onMessage(async (message) => {
      if (!eventFirst && message.includes("ratingAdded")) await isFirst;
      socket.send(message);
    });
  });
  await page.reload();
  await page.getByText("live", { exact: true }).waitFor();
  await loaded(page);
  await openForm(page, 2);
  await choose(page, 5);
  await page.getByRole("button", { name: "Post rating" }).click();
  await isFirst;
  await added.waitFor();
  // The number of new ratings is written when the event has come, too, and it counts each once.
  await page.getByText("live, 1 added", { exact: true }).waitFor();
}

for (const eventFirst of [true, false]) {
  test(`a new rating in view is not said to be elsewhere if the ${eventFirst ? "event" : "response"} comes first`, () =>
    open(async (page) => {
      await post(page, { eventFirst });
      await page.locator(".marked[data-index='0']").waitFor();
      assert.equal(await elsewhere(page).count(), 0);
      await takeBack();
    }));
}

test("a new rating out of view is elsewhere, and is shown", () =>
  open(async (page) => {
    await page.getByText("live", { exact: true }).waitFor();
    await loaded(page);
    await page.getByLabel("Go to page").fill("4");
    await page.getByLabel("Go to page").press("Enter");
    await openForm(page, 32);
    await choose(page, 3);
    await page.getByRole("button", { name: "Post rating" }).click();
    await elsewhere(page).waitFor();
    await page.getByRole("button", { name: "Show it" }).click();
    await page.locator(".marked[data-index='0']").waitFor();
    await takeBack();
  }));

test("Enter posts no stars that were not chosen", () =>
  open(async (page) => {
    await loaded(page);
    const posted = [];
    page.on("request", (request) => isRating(request) && posted.push(request.postDataJSON().variables.input.rating));
    await row(page, 0).focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    assert.equal(await page.getByRole("radio", { checked: true }).count(), 0);
    // A key chooses, and the next Enter posts it.
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    assert.deepEqual(posted, [2]);
    await takeBack();
  }));
