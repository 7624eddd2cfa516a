// Databases of the test's own, and the two servers over each.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const server = process.env.TEST_DATABASE_URL ?? "postgres://postgres@127.0.0.1:5432/postgres";
const here = fileURLToPath(new URL(".", import.meta.url));
const program = process.env.BOOKENDS_PROGRAM ?? join(here, "../../target/debug/bookends");
const folder = mkdtempSync(join(tmpdir(), "bookends-"));
const databases = [];
const children = [];

const psql = (url, ...args) => execFileSync("psql", ["-qXAt", "-v", "ON_ERROR_STOP=1", "-d", url, ...args], {
  encoding: "utf8", maxBuffer: 1 << 30, stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, PGTZ: "UTC" },
});

/** A new database with the tables of a file and with further statements. */
export class Database {
  constructor(name, file, statements = "") {
    this.name = `bookends_postgraphile_${process.pid}_${name}`;
    this.url = Object.assign(new URL(server), { pathname: this.name }).href;
    // The order of its text is that of a language, not of bytes.
    const locale = "LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C.UTF-8' ENCODING 'UTF8'";
    psql(server, "-c", `CREATE DATABASE "${this.name}" TEMPLATE template0 ${locale}`);
    databases.push(this.name);
    psql(server, "-c", `ALTER DATABASE "${this.name}" SET timezone TO 'UTC'`);
    execFileSync("psql", ["-qX", "-v", "ON_ERROR_STOP=1", "-d", this.url, "-f", file], { stdio: ["ignore", "ignore", "inherit"] });
    psql(this.url, "-c", `${statements}; ANALYZE`);
  }

  /** The value that a statement returns as JSON. */
  json(sql) {
    return JSON.parse(psql(this.url, "-c", sql));
  }

  /** Starts both servers. */
  async serve() {
    const env = { ...process.env, DATABASE_URL: this.url };
    this.postgraphile = await start(process.execPath, [join(here, "postgraphile.js")], {
      ...env, NODE_ENV: "production", GRAPHILE_ENV: "production",
    });
    this.bookends = await start(program, ["serve"], {
      ...env, LISTEN: "127.0.0.1:0", MAX_PAGE_SIZE: "1000", MAX_COMPLEXITY: "1000000", RUST_LOG: "error",
    });
    return this;
  }
}

/** Starts a server, and returns what asks it: the data of a request without errors. */
async function start(program, args, env) {
  const child = spawn(program, args, { env, cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const printed = await new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) => reject(new Error(`${program} ended with ${code}`)));
    // The first URL that a server prints is its own.
    createInterface(child.stdout).on("line", (line) => {
      const [url] = /https?:\/\/[^\s"/]+/.exec(line) ?? [];
      if (url) resolve(url);
    });
  });
  const url = new URL("/graphql", printed);
  const headers = { "content-type": "application/json" };
  return async (query, variables = {}) => {
    const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ query, variables }) });
    const { data, errors } = await response.json();
    assert.equal(errors, undefined, `${query}: ${JSON.stringify(errors)}`);
    return data;
  };
}

/** Stops the servers, and drops the databases. */
export async function close() {
  await Promise.all(children.filter((child) => child.exitCode === null).map((child) => new Promise((resolve) => {
    child.once("exit", resolve);
    child.kill();
  })));
  for (const name of databases) psql(server, "-c", `DROP DATABASE "${name}" WITH (FORCE)`);
  rmSync(folder, { recursive: true });
}
