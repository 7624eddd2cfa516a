// What the page opens with. The server's tests run the same files, all but the subscription.
import books from "../../queries/books.graphql?raw";
import nextRatings from "../../queries/next_ratings.graphql?raw";
import nextRatingsVariables from "../../queries/next_ratings.json?raw";
import rateBook from "../../queries/rate_book.graphql?raw";
import ratingAdded from "../../queries/rating_added.graphql?raw";
import ratings from "../../queries/ratings.graphql?raw";
import search from "../../queries/search.graphql?raw";
import { token } from "./token.js";

// The editor takes comments in JSON, and so does what reads it.
const withoutToken = `{
  // The write token of the server, for mutations.
  // "Authorization": "Bearer …"
}`;

export const headers = token ? JSON.stringify({ Authorization: `Bearer ${token}` }, null, 2) : withoutToken;

/** What the subscription of the last tab hears of. */
export const mutation = rateBook;

export const tabs = [
  { query: ratings },
  { query: nextRatings, variables: nextRatingsVariables },
  { query: books },
  { query: search },
  { query: rateBook },
  { query: ratingAdded },
].map((tab) => ({ ...tab, headers }));
