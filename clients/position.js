// Reads your own writes from a server with replicas.

// docs:start position
const primary = "FFFFFFFF/FFFFFFFF/FFFFFFFF"; // No replica has it.
let position;
let gap; // An object while the page may lack something whose position it does not know.

/** A `fetch` after which queries show what this page has written, from whichever replica they read. */
export async function fetchAfterWrites(url, options) {
  const [sent, missing] = [position, gap];
  const headers = new Headers(options.headers);
  if (sent || missing) headers.set("GraphQL-Position", missing ? primary : sent);
  const response = await fetch(url, { ...options, headers });
  const received = response.headers.get("GraphQL-Position");
  if (received === primary) readFromPrimary();
  else if (received) {
    // It includes the position that was sent. If another mutation was answered meanwhile, the larger position includes both.
    if (position === sent || isLarger(received, position)) position = received;
    if (gap === missing) gap = undefined;
  }
  return response;
}

/** Reads from the primary until a response has a position: that one includes all that was missed before the request. */
export function readFromPrimary() {
  gap = {};
}
// docs:end

// docs:start events
/**
 * A client of graphql-ws that keeps the position of each event: queries sent afterwards show the event.
 * @template Client
 * @param {Client} client
 * @returns {Client}
 */
export const keepPositions = (client) => ({
  ...client,
  subscribe: (operation, sink) => client.subscribe(operation, {
    next: (response) => {
      const received = response.extensions?.position;
      if (received === primary) readFromPrimary();
      else if (received && (!position || isLarger(received, position))) position = received;
      sink.next(response);
    },
    error: (error) => sink.error(error),
    complete: () => sink.complete(),
  }),
});
// docs:end

/** Compares positions, which are three hexadecimal numbers of up to eight digits. */
function isLarger(one, other) {
  const [a, b] = [one, other].map((text) => text.split("/").map((number) => parseInt(number, 16)));
  const first = a.findIndex((number, index) => number !== b[index]);
  return first >= 0 && a[first] > b[first];
}
