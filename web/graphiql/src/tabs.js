// What the page opens with: the server has written it into the page.
import { token } from "./token.js";

// The editor takes comments in JSON, and so does what reads it.
const withoutToken = `{
  // The write token of the server, for mutations.
  // "Authorization": "Bearer …"
}`;

export const headers = token ? JSON.stringify({ Authorization: `Bearer ${token}` }, null, 2) : withoutToken;

const written = JSON.parse(document.getElementById("tabs").textContent);

export const tabs = written.map(({ query, variables }) => ({ query, variables: variables ?? undefined, headers }));

/** The mutation that the subscription with this text hears of, and the label of its button. */
export function triggerOf(query) {
  return written.find((tab) => tab.trigger && tab.query === query)?.trigger;
}
