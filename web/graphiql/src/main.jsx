import "./workers.js";
import "@graphiql/react/style.css";
import "graphiql/graphiql.css";
import "@graphiql/plugin-doc-explorer/style.css";
import "@graphiql/plugin-explorer/style.css";
import "@graphiql/plugin-history/style.css";
import "./page.css";

import { explorerPlugin } from "@graphiql/plugin-explorer";
import { createGraphiQLFetcher } from "@graphiql/toolkit";
import { GraphiQL, HISTORY_PLUGIN } from "graphiql";
import { createRoot } from "react-dom/client";

import { FirstResult } from "./first-result.jsx";
import { Listener } from "./listener.jsx";
import { storage } from "./storage.js";
import { headers, tabs } from "./tabs.js";

// Beside the page, wherever a proxy has put it; `ws:` goes with `http:`, `wss:` with `https:`.
const api = new URL("graphql", document.baseURI);
const socket = new URL(api);
socket.protocol = api.protocol.replace("http", "ws");

// The headers go with each POST, and as the payload of `connection_init` to the socket.
const fetcher = createGraphiQLFetcher({
  url: api.href,
  subscriptionUrl: socket.href,
  enableIncrementalDelivery: false,
});

const plugins = [HISTORY_PLUGIN, explorerPlugin()];

// Where the panes are stacked, the variables leave their place to the query.
const isNarrow = matchMedia("(max-width: 800px)").matches;

createRoot(document.getElementById("graphiql")).render(
  <GraphiQL
    fetcher={fetcher}
    plugins={plugins}
    defaultTabs={tabs}
    defaultHeaders={headers}
    shouldPersistHeaders={false}
    schemaDescription
    storage={storage}
    defaultEditorToolsVisibility={isNarrow ? false : "variables"}
  >
    <GraphiQL.Logo>{null}</GraphiQL.Logo>
    <GraphiQL.Footer>
      <Listener fetcher={fetcher} />
    </GraphiQL.Footer>
    <FirstResult />
  </GraphiQL>,
);

document.getElementById("docs").addEventListener("click", () => {
  document.querySelector('[aria-label$="Documentation Explorer"]')?.click();
});
