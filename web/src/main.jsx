import "graphiql/setup-workers/vite";
import "graphiql/style.css";
import "@graphiql/plugin-explorer/style.css";
import "./page.css";

import { explorerPlugin } from "@graphiql/plugin-explorer";
import { createGraphiQLFetcher } from "@graphiql/toolkit";
import { GraphiQL, HISTORY_PLUGIN } from "graphiql";
import { createRoot } from "react-dom/client";

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

createRoot(document.getElementById("graphiql")).render(
  <GraphiQL
    fetcher={fetcher}
    plugins={plugins}
    defaultTabs={tabs}
    defaultHeaders={headers}
    shouldPersistHeaders={false}
    storage={storage}
    defaultEditorToolsVisibility="variables"
  >
    <GraphiQL.Logo>Bookends</GraphiQL.Logo>
  </GraphiQL>,
);
