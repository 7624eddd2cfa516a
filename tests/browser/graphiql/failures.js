// What the page says when the server fails.
import assert from "node:assert/strict";
import { test } from "node:test";

import { visit } from "../browser.js";
import { answer, openTab, ready, run } from "./page.js";

const GONE = { errors: [{ message: "The server does not answer. It may be restarting, or the network is down." }] };

test("a server that is gone is said to be gone, without a stack", () =>
  visit(
    async (page) => {
      await answer(page);
      await page.route("**/graphql", (route) => route.abort("connectionrefused"));
      await openTab(page, "Books");
      assert.deepEqual(await run(page), GONE);
      await page.unroute("**/graphql");
      await page.getByRole("button", { name: "Execute query" }).click();
      await page.locator(".graphiql-response", { hasText: '"data"' }).waitFor();
    },
    { tolerated: /ERR_CONNECTION_REFUSED/ },
  ));

test("the page of a proxy in place of a response is said by its status", () =>
  visit(
    async (page) => {
      await answer(page);
      await page.route("**/graphql", (route) => route.fulfill({ status: 502, contentType: "text/html", body: "<h1>Bad Gateway</h1>" }));
      await openTab(page, "Books");
      assert.deepEqual(await run(page), { errors: [{ message: "The server answered with status 502, and without GraphQL." }] });
    },
    { tolerated: /502/ },
  ));

test("a WebSocket that is refused is said so without a stack, and one that is stopped ends", () =>
  visit(async (page) => {
    let refuses = true;
    await page.routeWebSocket(/graphql/, (socket) => {
      if (refuses) socket.close({ code: 4400, reason: "Bad Request" });
      else socket.connectToServer();
    });
    // A page is routed from its beginning.
    await page.reload();
    await ready(page);
    await openTab(page, "RatingAdded");
    assert.deepEqual(await run(page), { errors: [{ message: "The server closed the connection: Bad Request." }] });
    refuses = false;
    await page.getByRole("button", { name: "Execute query" }).click();
    await page.getByRole("status").filter({ hasText: "Listening" }).waitFor();
    await page.getByRole("button", { name: "Stop query" }).click();
    await page.getByRole("status").filter({ hasText: "to listen" }).waitFor();
  }));
