// The query in the URL, as GraphiQL has it elsewhere: `?query=…&variables=…&operationName=…`. It opens in a tab of its own,
// and does not run by itself: a link is followed without knowing what it does.
import { useGraphiQL, useGraphiQLActions } from "@graphiql/react";
import { useEffect, useRef } from "react";

const parameters = new URLSearchParams(location.search);
const query = parameters.get("query");
const operationName = parameters.get("operationName");

/** JSON in one line is spread over several. */
function spread(json) {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

/** The tab of that query, if there is one. */
export const linked = query ? { query, variables: spread(parameters.get("variables") ?? "") } : undefined;

/** Puts the cursor into the operation of that name: what runs is where the cursor is. */
export function LinkedOperation() {
  const { setOperationName } = useGraphiQLActions();
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const operation = useGraphiQL(({ operations }) => operations?.find(({ name }) => operationName && name?.value === operationName));
  const isDone = useRef(!linked);
  useEffect(() => {
    if (isDone.current || !queryEditor || !operation) return;
    isDone.current = true;
    queryEditor.setPosition(queryEditor.getModel().getPositionAt(operation.loc.start));
    setOperationName(operationName);
  }, [queryEditor, operation, setOperationName]);
  return null;
}
