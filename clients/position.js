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

/** Keeps the position of an event: what its receiver queries then shows it. For `on.message` of a client of graphql-ws. */
export function keepPosition(message) {
  const received = message.payload?.extensions?.position;
  if (received && !(position && isLarger(position, received))) position = received;
}

/** Compares positions, which are two hexadecimal numbers of up to eight digits. */
function isLarger(one, other) {
  const [a, b] = [one, other].map((text) => text.split("/").map((half) => parseInt(half, 16)));
  return a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]);
}
// docs:end
