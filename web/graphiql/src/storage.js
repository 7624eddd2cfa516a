// What GraphiQL keeps in the browser. Its history has the headers of each request, and with them the token, which must not
// outlive the tab: the history is written without headers, and read with those of today.
import { createLocalStorage } from "@graphiql/toolkit";

import { headers } from "./tabs.js";

const local = createLocalStorage({ namespace: "bookends" });
const isHistory = (key) => ["graphiql:queries", "graphiql:favorites"].includes(key);
const withoutHeaders = (name, value) => (name === "headers" ? undefined : value);
const withHeaders = (_, value) => (typeof value?.query === "string" ? { ...value, headers } : value);
const rewritten = (json, change) => JSON.stringify(JSON.parse(json, change));

export const storage = {
  __proto__: local,
  getItem: (key) => {
    const value = local.getItem(key);
    return value && isHistory(key) ? rewritten(value, withHeaders) : value;
  },
  setItem: (key, value) => local.setItem(key, isHistory(key) ? rewritten(value, withoutHeaders) : value),
};
