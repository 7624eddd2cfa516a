// Lines that are longer than an editor is wide are wrapped. GraphiQL wraps those of the response only.
import { useGraphiQL } from "@graphiql/react";
import { useEffect } from "react";

export function Wrapped() {
  const query = useGraphiQL(({ queryEditor }) => queryEditor);
  const variables = useGraphiQL(({ variableEditor }) => variableEditor);
  const headers = useGraphiQL(({ headerEditor }) => headerEditor);
  useEffect(() => {
    for (const editor of [query, variables, headers]) editor?.updateOptions({ wordWrap: "on" });
  }, [query, variables, headers]);
  return null;
}
