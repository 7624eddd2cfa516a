// `@semanticNonNull`: where errors throw, Relay's compiler gives the lists types without null.
import assert from "node:assert";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import compiler from "relay-compiler";

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

const data = (query) => {
  const artifact = readFileSync(here(`generated/${query}.graphql.ts`), "utf8");
  return artifact.match(/\$data = (\{.*?\n\});/s)[1].replaceAll(/\s+/g, " ");
};

before(() => {
  rmSync(here("generated"), { recursive: true, force: true });
  mkdirSync(here("generated"));
  execFileSync(compiler, [here("relay.config.json")], { cwd: here("."), stdio: "pipe" });
});

test("where errors throw, a list is never null", () => {
  const ratings = "readonly ratings: { readonly nodes: ReadonlyArray<{ readonly rating: number; }>; };";
  const orders = "readonly orders: { readonly nodes: ReadonlyArray<{ readonly totalPrice: any; }>; };";
  const books = `readonly books: { readonly nodes: ReadonlyArray<{ ${orders} ${ratings} }>; };`;
  assert.strictEqual(data("listsThrowingQuery"), `{ ${books} }`);
});

test("elsewhere it is null beside an error", () => {
  const books = "readonly books: { readonly nodes: ReadonlyArray<{ readonly name: string; }>; } | null | undefined;";
  assert.strictEqual(data("listsPlainQuery"), `{ ${books} }`);
});
