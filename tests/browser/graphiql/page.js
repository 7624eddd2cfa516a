// What the tests of GraphiQL have in common: its tabs, its editors, and its answer.

export const TABS = ["Ratings", "NextRatings", "Books", "Search", "RateBook", "RatingAdded"];

/** What an editor holds, beyond the lines that are in view. */
export const text = (page, name) =>
  page.evaluate((end) => globalThis.__MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith(end)).getValue(), name);

export const ready = (page) => page.locator(".graphiql-query-editor .view-line").first().waitFor();

export async function openTab(page, name) {
  await page.locator(".graphiql-tab-button", { hasText: new RegExp(`^${name}$`) }).click();
  await settled(page);
}

/** The editor looks which operation a text has when it has not changed for a tenth of a second. */
export const settled = (page) => page.waitForTimeout(300);

/** Runs the tab that is open; the answer. */
export async function run(page) {
  await page.getByRole("button", { name: "Execute query" }).click();
  return answer(page);
}

export async function answer(page) {
  const json = await page.waitForFunction(
    () => globalThis.__MONACO?.editor.getModels().find(({ uri }) => uri.path.endsWith("response.json"))?.getValue(),
  );
  return JSON.parse(await json.jsonValue());
}

/** Waits until an editor holds this text, whatever stands around it. */
export const holds = (page, name, expected) =>
  page.waitForFunction(
    ([end, value]) => globalThis.__MONACO?.editor.getModels().find(({ uri }) => uri.path.endsWith(end))?.getValue().trim() === value,
    [name, expected],
  );

/** Types into an editor that takes the place of its whole text. */
export async function write(page, section, value) {
  await page.locator(`section[aria-label="${section}"] .monaco-editor:visible`).first().click();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.press("Delete");
  await page.keyboard.type(value);
}
