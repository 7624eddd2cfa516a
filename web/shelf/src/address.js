// The state of the list in the URL: what can be shared, reloaded, and gone back to.

export const SORTS = {
  newest: { title: "Newest first", orderBy: [{ field: "CREATED_AT", direction: "DESC" }] },
  oldest: { title: "Oldest first", orderBy: [{ field: "CREATED_AT", direction: "ASC" }] },
  best: { title: "Best first", orderBy: [{ field: "RATING", direction: "DESC" }] },
  worst: { title: "Worst first", orderBy: [{ field: "RATING", direction: "ASC" }] },
};

const DEFAULT = "newest";

/** A number with at most so many digits. Another text stays as it is, so that the reader can be told. */
const whole = (digits) => (text) => (new RegExp(`^-?\\d{1,${digits}}$`).test(text) ? Number(text) : text || undefined);

const page = whole(7);
export const year = whole(4);

/** What a URL says. An order that there is not, and stars that there are not, are as if they were absent. */
export function read(search) {
  const parameters = new URLSearchParams(search);
  const text = (name, length) => parameters.get(name)?.trim().slice(0, length) || undefined;
  const stars = (parameters.get("stars") ?? "").split(",").map(Number).filter((star) => star >= 1 && star <= 5);
  return {
    sort: Object.hasOwn(SORTS, parameters.get("sort") ?? "") ? parameters.get("sort") : DEFAULT,
    stars: [...new Set(stars)].sort(),
    from: year(text("from", 20)),
    to: year(text("to", 20)),
    search: text("search", 200),
    page: page(text("page", 20)),
    rating: text("rating", 500),
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
  else if (page !== undefined && page !== 1) parameters.set("page", page);
  const text = parameters.toString().replaceAll("%2C", ",");
  return text ? `?${text}` : location.pathname;
}

/** The arguments of the list. What is no year does not narrow it. */
export function listOf({ sort, stars, from, to, search }) {
  const years = [from, to].map((it) => (Number.isInteger(it) ? it : undefined));
  const conditions = {
    ...(stars.length > 0 && { rating: { in: stars } }),
    ...(years.some((it) => it !== undefined) && { book: { year: { gte: years[0], lte: years[1] } } }),
  };
  const where = Object.keys(conditions).length > 0 ? conditions : undefined;
  return { orderBy: SORTS[sort].orderBy, where, search };
}

export const isFiltered = ({ where, search }) => Boolean(where || search);
