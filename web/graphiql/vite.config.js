import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

import { defineConfig } from "vite";

import { licenses } from "../licenses.js";
import { shownIcons } from "./icons.js";

// The server hands the assets out as they are here: compressed once, in the binary and on the way.
function gzipAssets() {
  return {
    name: "gzip-assets",
    writeBundle({ dir }) {
      const assets = join(dir, "assets");
      for (const name of readdirSync(assets)) {
        const file = join(assets, name);
        writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
        rmSync(file);
      }
    },
  };
}

const source = (name) => fileURLToPath(new URL(`src/${name}`, import.meta.url));

const UNUSED = [
  "asyncDataTree",
  "colorHoverParticipant",
  "copyPasteController",
  "dataTree",
  "diffEditorWidget",
  "goToDefinitionAtPosition",
  "linesDiffComputers",
  "multiDiffEditorWidget",
  "objectTree",
  "standaloneQuickInputService",
];

// What GraphiQL imports, reduced to what it uses.
const alias = [
  { find: /^monaco-editor\/esm\/vs\/editor\/edcore\.main(\.js)?$/, replacement: source("monaco.js") },
  { find: new RegExp(`^\\.\\.?/.*/(${UNUSED.join("|")})\\.js$`), replacement: source("none.js") },
  { find: /^.*\/viewParts\/minimap\/minimap\.js$/, replacement: source("minimap.js") },
  { find: /^prettier\/(plugins\/estree|parser-babel)$/, replacement: source("jsonc.js") },
  { find: "prettier/parser-graphql", replacement: "prettier/plugins/graphql" },
  { find: "framer-motion", replacement: source("reorder.jsx") },
];

const { ofPage, ofWorkers } = licenses();

export default defineConfig({
  // The page asks for its assets beside itself, wherever a proxy has put it.
  base: "./",
  resolve: { alias },
  build: {
    // The package of the server contains it.
    outDir: "../../server/graphiql",
    emptyOutDir: true,
    target: "es2022",
    // A font in a style would need a weaker policy.
    assetsInlineLimit: (file) => (file.endsWith(".ttf") ? false : undefined),
    chunkSizeWarningLimit: 4096,
    reportCompressedSize: false,
    rollupOptions: {
      onwarn(warning, warn) {
        // "use client" tells a server's bundler something, and this one nothing.
        if (warning.code !== "MODULE_LEVEL_DIRECTIVE") warn(warning);
      },
    },
  },
  esbuild: { jsx: "automatic" },
  plugins: [shownIcons(), ofPage, gzipAssets()],
  worker: { format: "es", plugins: () => [ofWorkers] },
});
