// The editor's font of icons, with those alone that the page shows.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

import subset from "subset-font";

const modules = fileURLToPath(new URL("node_modules", import.meta.url));
const base = join(modules, "monaco-editor/esm/vs/base");
const styles = join(base, "browser/ui/codicons/codicon");

// Finding, folding, menus, hover, completion.
const SHOWN =
  /^(add|arrow-(down|right|up)|case-sensitive|check|chevron-(down|left|right|up)|close|error|info|light-?bulb(-.+)?|list-filter|loading|preserve-case|regex|remove|replace(-all)?|search|selection|symbol-.+|sync|warning|whole-word)$/;

function text() {
  const library = ["common/codiconsLibrary.js", "common/codicons.js"].map((file) => readFileSync(join(base, file), "utf8")).join();
  const icons = [...library.matchAll(/register\('([^']+)', (0x[0-9a-f]+)\)/g)];
  return icons.filter(([, name]) => SHOWN.test(name)).map(([, , code]) => String.fromCodePoint(code)).join("");
}

export function shownIcons() {
  const font = join(modules, ".bookends/icons.ttf");
  return {
    name: "shown-icons",
    enforce: "pre",
    async buildStart() {
      mkdirSync(dirname(font), { recursive: true });
      writeFileSync(font, await subset(readFileSync(join(styles, "codicon.ttf")), text(), { targetFormat: "sfnt" }));
    },
    transform(css, id) {
      if (id.endsWith("/codicon.css")) return css.replace("./codicon.ttf", relative(styles, font));
    },
  };
}
