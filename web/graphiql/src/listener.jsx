// Below the response to a subscription: whether it listens, and a button for the mutation that it hears of.
import { useGraphiQL } from "@graphiql/react";
import { parse } from "jsonc-parser";
import { useState } from "react";

import { triggerOf } from "./tabs.js";

export function Listener({ fetcher }) {
  const isSubscription = useGraphiQL(({ operations }) => operations?.some((it) => it.operation === "subscription"));
  const isListening = useGraphiQL(({ subscription }) => Boolean(subscription));
  const trigger = useGraphiQL(({ queryEditor }) => triggerOf(queryEditor?.getValue()));
  const headerEditor = useGraphiQL((state) => state.headerEditor);
  const [problem, setProblem] = useState();

  async function send() {
    setProblem(undefined);
    try {
      const { errors } = await fetcher({ query: trigger.mutation }, { headers: parse(headerEditor.getValue()) ?? {} });
      setProblem(errors?.[0].message);
    } catch (error) {
      setProblem(error.message);
    }
  }

  if (!isSubscription) return null;
  return (
    <div className="listener">
      <p role="status">
        {problem ?? (isListening ? "Listening: each event appears here." : "Press ▶ to listen for events.")}
      </p>
      {isListening && trigger && (
        <button type="button" onClick={send}>
          {trigger.label}
        </button>
      )}
    </div>
  );
}
