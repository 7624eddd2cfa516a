// Pages of the list in Relay's store. A page is kept there from its request until it is released.
import { ConnectionHandler, createOperationDescriptor, fetchQuery, getRequest } from "relay-runtime";

import { PAGE } from "./documents.js";
import { environment } from "./environment.js";

/** The objects of a page. */
export const SIZE = 10;

/** The data of a query, and what its statements cost. */
export function ask(query, variables, signal) {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    let cost;
    const metadata = { report: (reported) => { cost = reported; } };
    const options = { fetchPolicy: "network-only", networkCacheConfig: { force: true, metadata } };
    const stop = () => {
      subscription.unsubscribe();
      reject(signal.reason);
    };
    signal.addEventListener("abort", stop);
    const subscription = fetchQuery(environment, query, variables, options)
      .finally(() => signal.removeEventListener("abort", stop))
      .subscribe({ next: (data) => resolve({ data, cost }), error: reject });
  });
}

/** A page, which calls this when its data change. It is released with the signal, if not before. */
export async function open(variables, signal, onChange) {
  const all = { counted: false, ...variables };
  const operation = createOperationDescriptor(getRequest(PAGE), all);
  const retained = environment.retain(operation);
  try {
    const { cost } = await ask(PAGE, all, signal);
    signal.throwIfAborted();
    return new Page(operation, retained, cost, signal, onChange);
  } catch (error) {
    retained.dispose();
    throw error;
  }
}

class Page {
  #held;
  #released = new AbortController();

  constructor(operation, retained, cost, signal, onChange) {
    const snapshot = environment.lookup(operation.fragment);
    this.cost = cost;
    this.connection = snapshot.data.ratings;
    const subscribed = environment.subscribe(snapshot, ({ data }) => {
      this.connection = data.ratings;
      onChange();
    });
    this.#held = [retained, subscribed];
    signal.addEventListener("abort", () => this.release(), { signal: this.#released.signal });
  }

  get edges() {
    return this.connection.edges;
  }

  /** Adds an edge of a mutation or a subscription. As a part of the page, it is kept as long as that. */
  insert(index, { cursor, node }) {
    environment.commitUpdate((store) => {
      const connection = store.get(this.connection.__id);
      const edge = ConnectionHandler.createEdge(store, connection, store.get(node.id), "RatingEdge");
      edge.setValue(cursor, "cursor");
      connection.setLinkedRecords(connection.getLinkedRecords("edges").toSpliced(index, 0, edge), "edges");
    });
  }

  release() {
    this.#released.abort();
    this.#held.forEach((held) => held.dispose());
  }
}
