import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

import { defineConfig } from "vite";
import relay from "vite-plugin-relay";

import { licenses } from "../licenses.js";

// Beside the page at `/shelf`, as the browser resolves them.
const ASSETS = "shelf/assets";

// The server hands the assets out as they are here: compressed once, in the binary and on the way.
function gzipAssets() {
  return {
    name: "gzip-assets",
    writeBundle({ dir }) {
      const assets = join(dir, ASSETS);
      for (const name of readdirSync(assets)) {
        const file = join(assets, name);
        writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
        rmSync(file);
      }
    },
  };
}

export default defineConfig({
  // The page asks for its assets beside itself, wherever a proxy has put it.
  base: "./",
  build: { target: "es2022", assetsDir: ASSETS, reportCompressedSize: false, modulePreload: { polyfill: false } },
  esbuild: { jsx: "automatic" },
  plugins: [relay, licenses().ofPage, gzipAssets()],
});
