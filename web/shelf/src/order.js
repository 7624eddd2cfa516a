// The order of a list, for rows that the server did not place: the events of a subscription.

/** Whether a rating stands before another one. Its UUID sorts by the time of creation. */
export function isBefore([{ field, direction }], a, b) {
  const descending = direction === "DESC";
  const [left, right] = field === "RATING" && a.rating !== b.rating ? [a.rating, b.rating] : [a.uuid, b.uuid];
  return descending ? left > right : left < right;
}
