// How the page looks: small, in colours of the reader's own, and to axe.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { picture, visit } from "../browser.js";
import { answer, openTab } from "./page.js";

const PLUGINS = ["Documentation Explorer", "GraphiQL Explorer", "History"];

async function show(page, plugin) {
  await page.getByRole("button", { name: `Show ${plugin}` }).click();
  await page.getByRole("button", { name: `Hide ${plugin}` }).waitFor();
}

/** The parts of the page with text, which may not lie over one another, from top to bottom. */
const PARTS = [
  "body > header", ".graphiql-sidebar", ".graphiql-plugin", ".graphiql-session-header", ".graphiql-query-editor",
  ".graphiql-editor-tools", ".graphiql-editor-tool", ".graphiql-response",
];

async function stacked(page) {
  const boxes = await page.evaluate((selectors) => selectors.map((selector) => {
    const { top, bottom } = document.querySelector(selector).getBoundingClientRect();
    return { selector, top, bottom };
  }), PARTS);
  boxes.forEach(({ selector, top, bottom }, index) => {
    assert(bottom - top >= 40, `${selector} is ${bottom - top} pixels high`);
    const above = boxes[index - 1];
    assert(!above || top >= above.bottom - 1, `${selector} begins ${above?.bottom - top} pixels above the end of ${above?.selector}`);
  });
  // What a part contains is in it.
  const spills = await page.evaluate((selectors) => selectors.filter((selector) => {
    const part = document.querySelector(selector);
    const { bottom } = part.getBoundingClientRect();
    return [...part.querySelectorAll("button, .monaco-editor")].some((it) =>
      !it.closest(".graphiql-plugin") && it.checkVisibility() && it.getBoundingClientRect().bottom > bottom + 1);
  }), PARTS);
  assert.deepEqual(spills, []);
}

for (const [width, height] of [[390, 844], [768, 1024]]) {
  test(`nothing lies over anything else beside a panel, at ${width} pixels`, () =>
    visit(
      async (page) => {
        await answer(page);
        await page.getByRole("button", { name: "Variables" }).click();
        for (const plugin of PLUGINS) {
          await show(page, plugin);
          await page.locator(".graphiql-response .view-line").nth(3).waitFor();
          await stacked(page);
          await picture(page, `graphiql-${width}-${plugin.split(" ")[0]}`);
        }
      },
      { viewport: { width, height } },
    ));
}

test("on a narrow screen, lines of a query are wrapped, not cut off", () =>
  visit(
    async (page) => {
      await answer(page);
      const editor = page.locator(".graphiql-query-editor .monaco-scrollable-element").first();
      await editor.locator(".view-line").nth(3).waitFor();
      const cut = await editor.evaluate((it) => [...it.querySelectorAll(".view-line > span")]
        .filter((line) => line.getBoundingClientRect().right > it.getBoundingClientRect().right).map((line) => line.textContent));
      assert.deepEqual(cut, []);
    },
    { viewport: { width: 390, height: 844 } },
  ));

test("in colours of the reader's own, one sees which tab is open and where to run it", () =>
  visit(
    async (page) => {
      await answer(page);
      await openTab(page, "Books");
      const outline = (locator) => locator.evaluate((it) => [getComputedStyle(it).outlineStyle, getComputedStyle(it).outlineColor]);
      const highlight = await page.evaluate(() => {
        document.body.style.setProperty("outline", "0 none Highlight");
        return getComputedStyle(document.body).outlineColor;
      });
      assert.deepEqual(await outline(page.locator(".graphiql-tab-active")), ["solid", highlight]);
      const others = page.locator(".graphiql-tab:not(.graphiql-tab-active)");
      assert.equal((await outline(others.first()))[0], "none");
      const button = page.locator(".graphiql-execute-button");
      const seen = await button.screenshot();
      await button.locator("svg").evaluate((it) => { it.style.visibility = "hidden"; });
      assert(!seen.equals(await button.screenshot()), "the button shows what it does");
      await button.locator("svg").evaluate((it) => { it.style.visibility = ""; });
      await picture(page, "graphiql-forced");
    },
    { forcedColors: "active" },
  ));

const AXE = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

/** What GraphiQL's plugins write without a name, or with another one than is seen: styles cannot mend it. */
const UNMENDED = {
  label: ".graphiql-explorer-root",
  "select-name": ".graphiql-explorer-root",
  "label-content-name-mismatch": ".graphiql-history-item-label",
};

async function inspect(page) {
  const found = await page.evaluate(
    `(async (unmended) => { ${AXE};
      const { violations } = await axe.run();
      return violations.filter(({ impact }) => ["serious", "critical"].includes(impact)).flatMap(({ id, nodes }) =>
        nodes.filter(({ target }) => !(unmended[id] && document.querySelector(target[0]).closest(unmended[id])))
          .map(({ html, any }) => [id, html, any[0]?.message]));
    })(${JSON.stringify(UNMENDED)})`,
  );
  assert.deepEqual(found, []);
  const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
  assert(!isWide, "nothing is wider than the window");
}

for (const colorScheme of ["light", "dark"]) {
  for (const width of [390, 1280]) {
    test(`axe finds nothing serious, ${colorScheme} at ${width} pixels`, () =>
      visit(
        async (page) => {
          await answer(page);
          await page.locator(".graphiql-response .view-line").nth(3).waitFor();
          await picture(page, `graphiql-${width}-${colorScheme}`);
          await inspect(page);
          for (const plugin of ["Documentation Explorer", "GraphiQL Explorer", "History"]) {
            await page.getByRole("button", { name: `Show ${plugin}` }).click();
            await page.getByRole("button", { name: `Hide ${plugin}` }).waitFor();
            await inspect(page);
          }
          await page.getByRole("button", { name: "Hide History" }).click();
          await openTab(page, "RatingAdded");
          await inspect(page);
        },
        { colorScheme, viewport: { width, height: width === 390 ? 844 : 800 } },
      ));
  }
}
