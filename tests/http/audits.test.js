// GraphQL over HTTP, as the audits of the library graphql-http see it. BOOKENDS_URL names a server.
import assert from "node:assert/strict";
import { test } from "node:test";
import { serverAudits } from "graphql-http";

const url = new URL("/graphql", process.env.BOOKENDS_URL ?? "http://127.0.0.1:8000").href;

// What this server does otherwise, and why.
const otherwise = new Map();
const newer = "the draft of August 2026 has 422 for variables that do not coerce; the audits have 400";
otherwise.set("86EE", newer);
const malformed = "the same draft has 422 for JSON that is not a request";
for (const id of ["423L", "3E3A", "LKJ0", "LKJ1", "LKJ2", "LKJ3", "6C00", "6C01", "6C02", "6C03"]) otherwise.set(id, malformed);
for (const id of ["4760", "4761", "4762", "4763", "58B0", "58B1", "58B2", "58B3"]) otherwise.set(id, malformed);

test("every audit passes, but for those that a newer draft has overtaken", async (t) => {
  const failed = new Map();
  for (const audit of serverAudits({ url })) {
    const result = await audit.fn();
    if (result.status !== "ok") failed.set(audit.id, `${audit.name}: ${result.reason}`);
  }
  for (const [id, reason] of failed) t.diagnostic(`${id} ${reason}${otherwise.has(id) ? ` (${otherwise.get(id)})` : ""}`);
  assert.deepEqual([...failed.keys()].sort(), [...otherwise.keys()].sort());
});

test("what a newer draft has overtaken is answered as it says", async () => {
  const ask = (query, variables) =>
    fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/graphql-response+json" },
      body: JSON.stringify({ query, variables }),
    });
  assert.equal((await ask("{ nothing }")).status, 422);
  assert.equal((await ask("query ($id: ID!) { __typename }", { id: null })).status, 422);
  assert.equal((await ask(1)).status, 422);
});
