import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from "@apollo/client";
import { GraphQLWsLink } from "@apollo/client/link/subscriptions";
import { getMainDefinition, relayStylePagination } from "@apollo/client/utilities";
import { OperationTypeNode } from "graphql";
import { createClient } from "graphql-ws";

import { fetchAfterWrites, keepPositions, readFromPrimary } from "../../position.js";

// docs:start cache
// Every argument that changes the list is a key; the arguments of a page are not.
const list = relayStylePagination(["orderBy", "where", "search", "asOf"]);
const createCache = () =>
  new InMemoryCache({
    typePolicies: {
      Query: { fields: { books: list, ratings: list, orders: list } },
      Book: { fields: { ratings: list, orders: list } },
    },
  });
// docs:end

// docs:start client
export function createApollo({ url, socketUrl, authorization, onReconnect }) {
  const socket = keepPositions(createClient({
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
  const link = ApolloLink.split(
    ({ query }) => {
      const definition = getMainDefinition(query);
      return definition.kind === "OperationDefinition" && definition.operation === OperationTypeNode.SUBSCRIPTION;
    },
    new GraphQLWsLink(socket),
    new HttpLink({ uri: url, headers: { Authorization: authorization }, fetch: fetchAfterWrites }),
  );
  return { client: new ApolloClient({ cache: createCache(), link }), socket };
}
// docs:end
