import "./base.css";

import { createRoot } from "react-dom/client";
import { RelayEnvironmentProvider } from "react-relay";

import { App } from "./App.jsx";
import "./forced.css";
import { environment } from "./environment.js";

createRoot(document.getElementById("shelf")).render(
  <RelayEnvironmentProvider environment={environment}>
    <App />
  </RelayEnvironmentProvider>,
);
