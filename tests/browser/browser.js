// A page of the server at BOOKENDS_URL, in the system's Chromium (or CHROMIUM), watched while it is used. The URL is the one
// that the server prints, with its token.
import assert from "node:assert/strict";
import { join } from "node:path";

import { chromium } from "playwright-core";

const { BOOKENDS_URL, CHROMIUM = "/usr/bin/chromium", SCREENSHOTS } = process.env;
assert(BOOKENDS_URL, "BOOKENDS_URL names the server");
const printed = new URL(BOOKENDS_URL);
export const origin = new URL("/", printed);
export const token = new URLSearchParams(printed.hash.slice(1)).get("token");
assert(token, "BOOKENDS_URL ends with the token of the server");

// No name but the server's can be looked up: what needs another host fails as it would offline.
const offline = `--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE ${origin.hostname}`;

/** Uses the page, and then holds against it every request elsewhere, breach of the policy, and error but the expected and
the tolerated ones. */
export async function visit(use, { url = printed, expected = [], tolerated, ...options } = {}) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: [offline] });
  try {
    const context = await browser.newContext({ viewport: { width: 1400, height: 860 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const complaints = watch(page);
    await page.goto(url.href);
    // What the page complains of is often why it could not be used.
    const failure = await use(page).then(() => undefined, (error) => error.message);
    const held = complaints.filter((complaint) => !tolerated?.test(complaint));
    assert.deepEqual({ complaints: held, failure }, { complaints: expected, failure: undefined });
  } finally {
    await browser.close();
  }
}

/** Opens a URL that differs from that of the page in its fragment alone. */
export async function goOn(page, fragment) {
  const reloaded = page.waitForEvent("load");
  await page.evaluate((hash) => { location.hash = hash; }, fragment);
  await reloaded;
}

/** Whether the token is nowhere but in the session of the tab. */
export async function isForgotten(page) {
  const kept = await page.evaluate(() => [location.href, JSON.stringify(localStorage), document.cookie].join());
  return !kept.includes(token);
}

/** A picture of what the tests saw, kept in the folder SCREENSHOTS if that is set. An empty one has 6 kB. */
export async function picture(page, name) {
  const { length } = await page.screenshot({ path: SCREENSHOTS && join(SCREENSHOTS, `${name}.png`) });
  assert(length > 10_000, `there is nothing to see in ${name}: ${length} bytes`);
}

function watch(page) {
  const complaints = [];
  const elsewhere = (url) => {
    const { protocol, host } = new URL(url);
    if (!["data:", "blob:"].includes(protocol) && host !== origin.host) complaints.push(`asks ${url}`);
  };
  page.on("request", (request) => elsewhere(request.url()));
  page.on("websocket", (socket) => elsewhere(socket.url()));
  // A reload aborts what is still loading.
  page.on("requestfailed", (request) => {
    const { errorText } = request.failure();
    if (errorText !== "net::ERR_ABORTED") complaints.push(`fails: ${request.url()} ${errorText}`);
  });
  page.on("pageerror", (error) => complaints.push(`throws ${error.stack}`));
  // Chromium reports each breach of the policy as an error, those of workers too.
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`logs ${message.text()}`);
  });
  return complaints;
}
