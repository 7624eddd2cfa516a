import { cacheExchange } from "@urql/exchange-graphcache";
import { relayPagination } from "@urql/exchange-graphcache/extras";
import { createClient as createSocket } from "graphql-ws";
import { Client, fetchExchange, subscriptionExchange } from "urql";

import { fetchAfterWrites, keepPositions, readFromPrimary } from "../../position.js";
import { insert, remove } from "./edges.js";

// docs:start cache
const list = relayPagination();
const none = () => null;
const byCursor = ({ cursor }) => cursor;
const cache = () =>
  cacheExchange({
    keys: {
      ApproximateCount: none, PageCursor: none, PageCursors: none,
      BookEdge: byCursor, OrderEdge: byCursor, RatingEdge: byCursor, // for mutations: an edge with a key can be linked
    },
    resolvers: {
      Query: { books: list, ratings: list, orders: list },
      Book: { ratings: list, orders: list },
    },
    updates,
  });
// docs:end

const updates = {
  Mutation: {
    rateBook({ rateBook }, { input }, cache) {
      if (!rateBook) return;
      const { ratingEdge, previousEdgeCursor, previousEdgeCursorOfBook } = rateBook;
      insert(cache, "Query", input.orderBy, ratingEdge, previousEdgeCursor);
      insert(cache, { __typename: "Book", id: input.bookId }, input.orderBy, ratingEdge, previousEdgeCursorOfBook);
    },
    deleteRating({ deleteRating }, _, cache) {
      if (!deleteRating) return;
      const { book, deletedId } = deleteRating;
      for (const parent of ["Query", book]) remove(cache, parent, deletedId);
    },
  },
  Subscription: {
    // The newest comes first.
    ratingAdded: ({ ratingAdded }, { bookId, orderBy }, cache) =>
      insert(cache, { __typename: "Book", id: bookId }, orderBy, ratingAdded, null),
  },
};

export function createClient({ url, socketUrl, authorization, onReconnect }) {
  const socket = keepPositions(createSocket({
    url: socketUrl,
    connectionParams: { Authorization: authorization },
    retryAttempts: Infinity,
    shouldRetry: () => true,
    on: {
      connected: (_socket, _payload, wasRetry) => {
        if (!wasRetry) return;
        // The subscriptions are restored, the events in between are not: fetch the list again.
        readFromPrimary();
        onReconnect();
      },
    },
  }));
  const forwardSubscription = ({ query, variables }) => ({
    subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query, variables }, sink) }),
  });
  const client = new Client({
    url,
    fetch: fetchAfterWrites,
    fetchOptions: { headers: { Authorization: authorization } },
    preferGetMethod: false,
    exchanges: [cache(), fetchExchange, subscriptionExchange({ forwardSubscription })],
  });
  return { client, socket };
}
