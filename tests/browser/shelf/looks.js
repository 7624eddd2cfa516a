// How the page looks: small, in colours of the reader's own, in other languages, and to a screen reader.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { loaded, open, picture, row, rows } from "./page.js";

const styles = (locator, names) =>
  locator.evaluate((it, all) => all.map((name) => getComputedStyle(it)[name]), names);

/** What the browser paints for a colour of the system. */
const painted = (page, colour) =>
  page.evaluate((name) => {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.cssText = `color: ${name}; forced-color-adjust: none`;
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  }, colour);

for (const colorScheme of ["light", "dark"]) {
  test(`in colours of the reader's own, stars differ by their shape, and the selection by its colour, ${colorScheme}`, () =>
    open(
      async (page) => {
        await loaded(page);
        assert(await page.evaluate(() => matchMedia("(forced-colors: active)").matches));
        const shapes = await rows(page).locator("[role=img]").allTextContents();
        assert.deepEqual([...new Set(shapes)], ["★★☆☆☆"]);
        const selection = [await painted(page, "Highlight"), await painted(page, "HighlightText")];
        const look = (locator) => styles(locator, ["backgroundColor", "color"]);
        const choice = (stars) => page.locator(".choice label", { hasText: `${stars} stars` });
        const current = page.locator(".pager [aria-current=page]");
        assert.deepEqual(await look(choice(2)), selection);
        assert.deepEqual(await look(current), selection);
        assert.notDeepEqual(await look(choice(3)), selection);
        assert.notDeepEqual(await look(page.locator(".pager li button:not([aria-current])").first()), selection);
        await row(page, 1).getByRole("link").click();
        const [edge] = await styles(page.locator(".marked"), ["borderLeftColor"]);
        assert.equal(edge, selection[0]);
        await picture(page, `shelf-forced-${colorScheme}`);
        await row(page, 0).getByRole("button").click();
        await page.getByRole("radio", { name: "3 stars" }).check();
        assert.deepEqual(await page.locator(".stars-choice [aria-hidden]").allTextContents(), ["★", "★", "★", "☆", "☆"]);
        await picture(page, `shelf-rate-forced-${colorScheme}`);
      },
      { at: "?stars=2", forcedColors: "active", colorScheme },
    ));
}

for (const [width, height] of [[844, 390], [667, 375]]) {
  test(`on a telephone on its side, ${width} by ${height} pixels, most of the screen is the list`, () =>
    open(
      async (page) => {
        await loaded(page);
        await picture(page, `shelf-${width}-${height}`);
        const box = await page.locator(".scroller").boundingBox();
        const shown = Math.min(height, box.y + box.height) - Math.max(0, box.y);
        assert(shown >= 0.6 * height, `${shown} pixels of the list are on the screen`);
        const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
        assert(!isWide, "nothing is wider than the window");
        await page.getByText("Filter, jump").click();
        await page.getByLabel("Published from").fill("1990");
        await page.getByLabel("Published from").press("Enter");
        await page.waitForFunction(() => location.search === "?from=1990");
      },
      { viewport: { width, height } },
    ));
}

test("numbers and dates are in the language of the page, whatever that of the browser", async () => {
  const texts = [];
  for (const locale of ["en-US", "de-DE", "ar-EG"]) {
    await open(
      async (page) => {
        await row(page, 1_000).waitFor();
        // The rows above the page are read after it.
        await row(page, 996).waitFor();
        await page.getByRole("row", { name: /^101/ }).waitFor();
        const shown = await page.locator("article[data-id], .count strong, .pager").allTextContents();
        texts.push(shown.join("\n"));
        assert.match(await page.locator(".costs td").first().textContent(), /^\d+(\.\d\d)? ms$/);
      },
      { at: "?page=101", locale },
    );
  }
  assert.equal(texts[1], texts[0]);
  assert.equal(texts[2], texts[0]);
  assert.match(texts[0], /20,000[^]*\d\.\d average, \d+ ratings?[A-Z][a-z]+ \d+, 2022/);
});

const AXE = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");

for (const colorScheme of ["light", "dark"]) {
  for (const width of [390, 1280]) {
    test(`axe finds nothing, ${colorScheme} at ${width} pixels`, () =>
      open(
        async (page) => {
          await loaded(page);
          await page.getByText("live", { exact: true }).waitFor();
          await picture(page, `shelf-${width}-${colorScheme}`);
          const inspect = async () => {
            const { violations } = await page.evaluate(`(() => { ${AXE}; return axe.run(); })()`);
            assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), []);
            const isWide = await page.evaluate(() => document.documentElement.scrollWidth > innerWidth);
            assert(!isWide, "nothing is wider than the window");
          };
          await inspect();
          await row(page, 0).getByRole("button", { name: /^Rate/ }).click();
          await page.getByRole("dialog").waitFor();
          await inspect();
          await picture(page, `shelf-rate-${width}-${colorScheme}`);
        },
        { colorScheme, viewport: { width, height: width === 390 ? 844 : 800 } },
      ));
  }
}
