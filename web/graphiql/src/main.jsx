import "./workers.js";
import "@graphiql/react/style.css";
import "graphiql/graphiql.css";
import "@graphiql/plugin-doc-explorer/style.css";
import "@graphiql/plugin-explorer/style.css";
import "@graphiql/plugin-history/style.css";
import "./page.css";

import { explorerPlugin } from "@graphiql/plugin-explorer";
import { GraphiQL, HISTORY_PLUGIN } from "graphiql";
import { createRoot } from "react-dom/client";

import { fetcher } from "./fetcher.js";
import { FirstResult } from "./first-result.jsx";
import { LinkedOperation, linked } from "./linked.js";
import { Listener } from "./listener.jsx";
import { storage } from "./storage.js";
import { headers, tabs } from "./tabs.js";
import { Wrapped } from "./wrapped.js";

const plugins = [HISTORY_PLUGIN, explorerPlugin()];

// Where the panes are stacked, the variables leave their place to the query.
const isNarrow = matchMedia("(max-width: 800px)").matches;

createRoot(document.getElementById("graphiql")).render(
  <GraphiQL
    fetcher={fetcher}
    plugins={plugins}
    defaultTabs={linked ? [{ ...linked, headers }, ...tabs] : tabs}
    initialQuery={linked?.query}
    initialVariables={linked?.variables}
    defaultHeaders={headers}
    shouldPersistHeaders={false}
    schemaDescription
    inputValueDeprecation
    storage={storage}
    defaultEditorToolsVisibility={isNarrow ? false : "variables"}
  >
    <GraphiQL.Logo>{null}</GraphiQL.Logo>
    <GraphiQL.Footer>
      <Listener fetcher={fetcher} />
    </GraphiQL.Footer>
    <FirstResult />
    <LinkedOperation />
    <Wrapped />
  </GraphiQL>,
);

document.getElementById("docs").addEventListener("click", () => {
  document.querySelector('[aria-label$="Documentation Explorer"]')?.click();
});
