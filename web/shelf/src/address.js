// The state of the list in the URL: what can be shared, reloaded, and gone back to.

export const SORTS = {
  newest: { title: "Newest first", orderBy: [{ field: "CREATED_AT", direction: "DESC" }] },
  oldest: { title: "Oldest first", orderBy: [{ field: "CREATED_AT", direction: "ASC" }] },
  best: { title: "Best first", orderBy: [{ field: "RATING", direction: "DESC" }] },
  worst: { title: "Worst first", orderBy: [{ field: "RATING", direction: "ASC" }] },
};

const DEFAULT = "newest";
const whole = (text) => (/^-?\d{1,7}$/.test(text ?? "") ? Number(text) : undefined);

/** What a URL says; what it says wrongly is as if it were absent. */
export function read(search) {
  const parameters = new URLSearchParams(search);
  const stars = (parameters.get("stars") ?? "").split(",").map(Number).filter((star) => star >= 1 && star <= 5);
  const page = whole(parameters.get("page"));
  return {
    sort: Object.hasOwn(SORTS, parameters.get("sort") ?? "") ? parameters.get("sort") : DEFAULT,
    stars: [...new Set(stars)].sort(),
    from: whole(parameters.get("from")),
    to: whole(parameters.get("to")),
    search: parameters.get("search")?.trim().slice(0, 200) || undefined,
    page: page >= 1 ? page : undefined,
    rating: parameters.get("rating") ?? undefined,
  };
}

export function write({ sort, stars, from, to, search, page, rating }) {
  const parameters = new URLSearchParams();
  if (sort !== DEFAULT) parameters.set("sort", sort);
  if (stars.length > 0) parameters.set("stars", stars.join(","));
  if (from !== undefined) parameters.set("from", from);
  if (to !== undefined) parameters.set("to", to);
  if (search) parameters.set("search", search);
  if (rating) parameters.set("rating", rating);
  else if (page > 1) parameters.set("page", page);
  const text = parameters.toString().replaceAll("%2C", ",");
  return text ? `?${text}` : location.pathname;
}

/** The arguments of the list. */
export function listOf({ sort, stars, from, to, search }) {
  const conditions = {
    ...(stars.length > 0 && { rating: { in: stars } }),
    ...((from !== undefined || to !== undefined) && { book: { year: { gte: from, lte: to } } }),
  };
  const where = Object.keys(conditions).length > 0 ? conditions : undefined;
  return { orderBy: SORTS[sort].orderBy, where, search };
}

export const isFiltered = ({ where, search }) => Boolean(where || search);
