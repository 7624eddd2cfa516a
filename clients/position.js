// Reads your own writes from a server with replicas.

// docs:start position
let position;

/** A `fetch` after which queries show what this page has written, from whichever replica they read. */
export async function fetchAfterWrites(url, options) {
  const headers = new Headers(options.headers);
  if (position) headers.set("GraphQL-Position", position);
  const response = await fetch(url, { ...options, headers });
  position = response.headers.get("GraphQL-Position") ?? position;
  return response;
}
// docs:end
