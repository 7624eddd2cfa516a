import { createClient } from "graphql-ws";
import { Environment, Network, Observable } from "relay-runtime";
import type { GraphQLResponse, RequestParameters, Variables } from "relay-runtime";

import { fetchAfterWrites, keepPositions, readFromPrimary } from "../../position.js";

/** Where the server is, how to write to it, and what to do after a reconnect. */
export interface Server {
  url: string;
  socketUrl: string;
  authorization: string;
  onReconnect: () => void;
}

// docs:start environment
export function createEnvironment({ url, socketUrl, authorization, onReconnect }: Server) {
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
  const post = async ({ text }: RequestParameters, variables: Variables) => {
    const headers = { "Content-Type": "application/json", Authorization: authorization };
    const body = JSON.stringify({ query: text, variables });
    const response = await fetchAfterWrites(url, { method: "POST", headers, body });
    return await response.json() as GraphQLResponse;
  };
  const listen = ({ text }: RequestParameters, variables: Variables) =>
    Observable.create<GraphQLResponse>((sink) =>
      socket.subscribe({ query: text!, variables }, { ...sink, next: (event) => sink.next(event as GraphQLResponse) }));
  return { environment: new Environment({ network: Network.create(post, listen) }), socket };
}
// docs:end
