// A server of a test's own, which it can stop and start again: the program in BOOKENDS, with a database of 20,000 ratings.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const { BOOKENDS } = process.env;

export class Server {
  #folder = mkdtempSync(join(tmpdir(), "bookends-"));
  #listen = "127.0.0.1:0";
  #child;

  async start() {
    assert(BOOKENDS, "BOOKENDS names the program");
    const env = {
      ...process.env,
      WRITE_TOKEN: "a-token-of-the-browser-tests",
      DATABASE_URL: `sqlite://${this.#folder}/bookends.db`,
      SAMPLE: "true",
      LISTEN: this.#listen,
    };
    this.#child = spawn(BOOKENDS, { env, stdio: ["ignore", "pipe", "ignore"] });
    const printed = await new Promise((resolve, reject) => {
      this.#child.once("exit", (code) => reject(new Error(`the server ended with ${code}`)));
      // The first URL that it prints is the one to open.
      createInterface(this.#child.stdout).on("line", (line) => {
        const [url] = /https?:\/\/[^\s"/]+/.exec(line) ?? [];
        if (url) resolve(url);
      });
    });
    // It starts again where it was.
    this.#listen = new URL(printed).host;
    return new URL(`/#token=${env.WRITE_TOKEN}`, printed);
  }

  async stop() {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.kill();
    await ended;
  }

  async close() {
    await this.stop();
    rmSync(this.#folder, { recursive: true });
  }
}
