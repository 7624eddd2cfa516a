// Runs the query of the first tab when the page opens with it, so that there is a result to look at.
import { useGraphiQL, useGraphiQLActions } from "@graphiql/react";
import { useEffect, useRef } from "react";

import { tabs } from "./tabs.js";

export function FirstResult() {
  const { run } = useGraphiQLActions();
  const isReady = useGraphiQL(
    ({ queryEditor, variableEditor, headerEditor, responseEditor }) =>
      Boolean(queryEditor && variableEditor && headerEditor && responseEditor),
  );
  const isFirst = useGraphiQL(({ queryEditor }) => queryEditor?.getValue() === tabs[0].query);
  const hasRun = useRef(false);
  useEffect(() => {
    if (!isReady || hasRun.current) return;
    hasRun.current = true;
    if (isFirst) run();
  }, [isReady, isFirst, run]);
  return null;
}
