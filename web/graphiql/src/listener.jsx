// Below the response to a subscription: whether it listens, and the mutation that it hears of.
import { useGraphiQL } from "@graphiql/react";
import { parse } from "jsonc-parser";
import { useState } from "react";

import { mutation } from "./tabs.js";

export function Listener({ fetcher }) {
  const isSubscription = useGraphiQL(({ operations }) => operations?.some((it) => it.operation === "subscription"));
  const isListening = useGraphiQL(({ subscription }) => Boolean(subscription));
  const headerEditor = useGraphiQL((state) => state.headerEditor);
  const [problem, setProblem] = useState();

  async function rate() {
    setProblem(undefined);
    try {
      const { errors } = await fetcher({ query: mutation }, { headers: parse(headerEditor.getValue()) ?? {} });
      setProblem(errors?.[0].message);
    } catch (error) {
      setProblem(error.message);
    }
  }

  if (!isSubscription) return null;
  return (
    <div className="listener">
      <p role="status">
        {problem ?? (isListening ? "Listening: each new rating appears here." : "Press ▶ to listen for new ratings.")}
      </p>
      {isListening && (
        <button type="button" onClick={rate}>
          Rate a book
        </button>
      )}
    </div>
  );
}
