// The licences of what a bundle contains, in a file beside it that its page links. A minified bundle has no comments.
import { readFileSync, readdirSync } from "node:fs";
import { join, sep } from "node:path";

const MODULES = `${sep}node_modules${sep}`;

/** What the editor contains of others: the beginning of its modules, and of their section among the notices of the package. */
const NOTICES = "ThirdPartyNotices.txt";
const WITHIN = { "esm/vs/base/common/path.js": "nodejs path library", "esm/vs/base/common/marked/": "markedjs" };

/** The folder of the package that has a module, and the path of the module in it. */
function located(id) {
  const [file] = id.replace("\0", "").split("?");
  const start = file.lastIndexOf(MODULES);
  if (start < 0) return undefined;
  const path = file.slice(start + MODULES.length).split(sep);
  const name = path.splice(0, path[0].startsWith("@") ? 2 : 1).join(sep);
  return name.startsWith(".") ? undefined : [join(file.slice(0, start), MODULES, name), path.join("/")];
}

/** The sections that are about these modules. */
function sections(folder, paths) {
  const notices = readFileSync(join(folder, NOTICES), "utf8").split(/^%% /m);
  const used = Object.entries(WITHIN).filter(([start]) => paths.some((path) => path.startsWith(start)));
  return used.map(([, title]) => {
    const found = notices.find((section) => section.startsWith(title));
    if (!found) throw new Error(`${NOTICES} has no section “${title}”`);
    return found.trim();
  });
}

/** What modules say of parts that they took from others, in the comments that minifiers are asked to keep. */
const comments = (folder, paths) =>
  paths.flatMap((path) => readFileSync(join(folder, path), "utf8").match(/\/\*! @license[^]*?\*\//g) ?? []);

/** A package: what it is, and its texts. */
function described(folder, paths) {
  const { name, version, license, repository } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (!license) throw new Error(`${name} has no licence`);
  const files = readdirSync(folder);
  const texts = files.filter((file) => /^(licen[cs]e|copying|notice)/i.test(file)).sort();
  return {
    title: `${name} ${version} (${license})`,
    source: repository?.url ?? repository,
    text: [
      ...texts.map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim()),
      ...(files.includes(NOTICES) ? sections(folder, paths) : []),
      ...new Set(comments(folder, paths)),
    ].join("\n\n"),
  };
}

/** The values of pairs with the same key. */
function grouped(pairs) {
  const groups = new Map();
  for (const [key, value] of pairs) groups.set(key, [...(groups.get(key) ?? []), value]);
  return [...groups];
}

function written(modules) {
  const packages = grouped([...modules].map(located).filter(Boolean));
  const all = packages.map(([folder, paths]) => described(folder, paths.sort()));
  all.sort((a, b) => (a.title < b.title ? -1 : 1));
  // Many have the same text. Those without one have that of their repository, if it has another package here.
  const textOf = ({ text, source }) => text || all.find((other) => other.text && other.source === source)?.text || `Its text is at ${source}`;
  const parts = grouped(all.map((one) => [textOf(one), one.title])).map(([text, titles]) => `${[...new Set(titles)].join("\n")}\n\n${text}`);
  return `This page contains the following parts.\n\n${parts.map((part) => part.trim()).join(`\n\n${"-".repeat(80)}\n\n`)}\n`;
}

/** A plugin for the bundle of the page, and one for those of its workers. `%LICENSES%` in the page becomes the file. */
export function licenses() {
  const modules = new Set();
  const collect = (bundle) => {
    for (const chunk of Object.values(bundle)) {
      for (const [id, { renderedLength }] of Object.entries(chunk.modules ?? {})) if (renderedLength > 0) modules.add(id);
    }
  };
  const ofWorkers = { name: "licenses-of-workers", generateBundle: (_, bundle) => collect(bundle) };
  const ofPage = {
    name: "licenses",
    enforce: "post",
    generateBundle(_, bundle) {
      collect(bundle);
      const file = this.getFileName(this.emitFile({ type: "asset", name: "licenses.txt", source: written(modules) }));
      const page = bundle["index.html"];
      page.source = page.source.replace("%LICENSES%", `./${file}`);
    },
  };
  return { ofPage, ofWorkers };
}
