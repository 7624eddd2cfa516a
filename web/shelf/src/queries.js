// What is asked about a list beside its pages.
import { isFiltered } from "./address.js";
import { COUNT, CURSORS, PAGE } from "./documents.js";
import { ask } from "./pages.js";

/** How many rows the list has: exactly where that costs nothing, or where it is asked for. */
export async function count({ where, search }, exactly, signal) {
  const { ratings } = (await ask(COUNT, { where, search, exactly }, signal)).data;
  return ratings.approximateCount ?? { value: ratings.totalCount, relation: "EXACT" };
}

/** Whether the list, with its filters, has this rating. */
export async function has({ where, search, orderBy }, id, signal) {
  const only = { orderBy, search, where: { and: [where ?? {}, { id: { eq: id } }] } };
  const { edges } = (await ask(PAGE, { ...only, first: 1, counted: false }, signal)).data.ratings;
  return edges.length > 0;
}

/** Where the pages around this place begin, by their numbers. Of a filtered list they would cost too much. */
export async function cursors(list, place, signal) {
  if (isFiltered(list)) return new Map();
  const { pageCursors } = (await ask(CURSORS, { ...place, orderBy: list.orderBy }, signal)).data.ratings;
  const known = [...pageCursors.around, pageCursors.last].filter((page) => page?.page);
  return new Map(known.map(({ page, cursor }) => [page, cursor]));
}
