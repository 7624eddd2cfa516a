import { stringifyVariables } from "urql";

/** The loaded pages of the ratings of an object, in this order or in all. */
function pages(cache, parent, orderBy) {
  const isWanted = ({ fieldName, arguments: args }) =>
    fieldName === "ratings" && (orderBy === undefined || stringifyVariables(args?.orderBy) === stringifyVariables(orderBy));
  const fields = cache.inspectFields(parent).filter(isWanted);
  return fields.map(({ fieldKey }) => cache.resolve(parent, fieldKey)).filter(Boolean);
}

// docs:start edge
/** Puts an edge after the one with the previous cursor, or first where that is null. What is not loaded comes with its page. */
export function insert(cache, parent, orderBy, edge, previous) {
  const key = cache.keyOfEntity(edge);
  for (const page of pages(cache, parent, orderBy)) {
    const edges = cache.resolve(page, "edges");
    const isFirstPage = cache.resolve(cache.resolve(page, "pageInfo"), "hasPreviousPage") === false;
    const before = edges.indexOf(`RatingEdge:${previous}`);
    if (edges.includes(key) || (previous === null ? !isFirstPage : before < 0)) continue;
    const at = before + 1;
    cache.link(page, "edges", [...edges.slice(0, at), key, ...edges.slice(at)]);
  }
}
// docs:end

/** Takes a rating out of all lists of an object. */
export function remove(cache, parent, id) {
  const gone = cache.keyOfEntity({ __typename: "Rating", id });
  for (const page of pages(cache, parent)) {
    const edges = cache.resolve(page, "edges");
    cache.link(page, "edges", edges.filter((edge) => cache.resolve(edge, "node") !== gone));
  }
  cache.invalidate(gone);
}
