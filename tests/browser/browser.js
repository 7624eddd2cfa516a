// A page of the server at BOOKENDS_URL, in the system's Chromium (or CHROMIUM), watched while it is used.
import assert from "node:assert/strict";
import { join } from "node:path";

import { chromium } from "playwright-core";

const { BOOKENDS_URL, CHROMIUM = "/usr/bin/chromium", SCREENSHOTS } = process.env;
assert(BOOKENDS_URL, "BOOKENDS_URL names the server");
export const origin = new URL(BOOKENDS_URL);

// No name but the server's can be looked up: what needs another host fails as it would offline.
const offline = `--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE ${origin.hostname}`;

/** Uses the page, and then holds against it every request elsewhere, breach of the policy, and error. */
export async function visit(use, options = {}) {
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: [offline] });
  try {
    const context = await browser.newContext({ viewport: { width: 1400, height: 860 }, ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(10_000);
    const complaints = watch(page);
    await page.goto(origin.href);
    // What the page complains of is often why it could not be used.
    const failure = await use(page).then(() => undefined, (error) => error.message);
    assert.deepEqual({ complaints, failure }, { complaints: [], failure: undefined });
  } finally {
    await browser.close();
  }
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
  page.on("requestfailed", (request) => complaints.push(`fails: ${request.url()}`));
  page.on("pageerror", (error) => complaints.push(`throws ${error.stack}`));
  // Chromium reports each breach of the policy as an error, those of workers too.
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`logs ${message.text()}`);
  });
  return complaints;
}
