// The ways to open a list: the page that is read, where it stands, and the row to go to.
//
// A context is the list, the signal that ends its requests, and what it calls when the data of a page change.
import { POSITION } from "./documents.js";
import { Failure } from "./failure.js";
import { SIZE, ask, open } from "./pages.js";

export const readPage = ({ list, signal, onChange }, place) => open({ ...list, ...place }, signal, onChange);

/** The page with this number: by its cursor if that is known, else by skipping keys. */
export const pageAt = (number, cursor) => async (context) => {
  if (!Number.isInteger(number) || number < 1) throw new Failure("PAGE_UNKNOWN");
  const start = (number - 1) * SIZE;
  const target = { index: start };
  if (cursor === undefined && number > 1) {
    return { target, place: { first: SIZE, offset: start }, ...(await behind(start)(context)) };
  }
  const place = { first: SIZE, after: cursor };
  return { target, place, page: await readPage(context, place), start, way: { kind: "cursor" } };
};

/** The page behind this number of rows; where there is none, the last one. */
export const behind = (offset) => async (context) => {
  const page = await readPage(context, { first: SIZE, offset });
  if (page.edges.length > 0 || offset === 0) return { page, start: offset, way: { kind: "number", skipped: offset } };
  page.release();
  return last(context);
};

/** The last page. Its rows are found from the end; their numbers need an exact count. */
export async function last(context) {
  const page = await readPage(context, { last: SIZE, counted: true });
  const value = page.connection.totalCount;
  const target = { index: Math.max(0, value - 1), align: "end" };
  const start = Math.max(0, value - page.edges.length);
  return { page, start, way: { kind: "end" }, target, total: { value, relation: "EXACT" } };
}

/** The page around a rating. */
export const around = (id) => async (context) => {
  const { index, ...found } = await find(id, context);
  return { ...found, target: { index, id } };
};

/** The page around a rating that is at this position on the screen, and stays there; without it, what stands there now. */
export const again = (id, position) => async (context) => {
  try {
    const { index, ...found } = await find(id, context);
    return { ...found, shift: index - position };
  } catch (error) {
    if (error.code !== "NOT_FOUND") throw error;
    return behind(position)(context);
  }
};

async function find(id, context) {
  const position = ask(POSITION, { id, ...context.list }, context.signal);
  const [{ data }, page] = await Promise.all([position, readPage(context, { first: SIZE + 1, around: id })]);
  const { page: number } = data.ratings.pageCursors.around.find(({ isCurrent }) => isCurrent);
  // In pages of one object, its number is its position. Beyond the objects that the server counts there is none.
  const index = (number ?? 1) - 1;
  return { page, index, start: index - page.edges.findIndex(({ node }) => node.id === id), way: { kind: "around" } };
}
