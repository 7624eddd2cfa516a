// Reads your own writes from a server with replicas.

// docs:start position
let position;

/** A `fetch` after which queries show what this page has written, from whichever replica they read. */
export async function fetchAfterWrites(url, options) {
  const sent = position;
  const headers = new Headers(options.headers);
  if (sent) headers.set("GraphQL-Position", sent);
  const response = await fetch(url, { ...options, headers });
  const received = response.headers.get("GraphQL-Position");
  // It includes the position that was sent. If another mutation was answered meanwhile, the larger position includes both.
  if (received && (position === sent || isLarger(received, position))) position = received;
  return response;
}
// docs:end

// docs:start events
const primary = "FFFFFFFF/FFFFFFFF"; // No replica has it.

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
      if (received && (!position || position === primary || isLarger(received, position))) position = received;
      sink.next(response);
    },
    error: (error) => sink.error(error),
    complete: () => sink.complete(),
  }),
});

/** Reads from the primary until a mutation or an event has a position: a list then has all that a subscription missed. */
export function readFromPrimary() {
  position = primary;
}
// docs:end

/** Compares positions, which are two hexadecimal numbers of up to eight digits. */
function isLarger(one, other) {
  const [a, b] = [one, other].map((text) => text.split("/").map((half) => parseInt(half, 16)));
  return a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]);
}
