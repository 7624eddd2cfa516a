// New ratings, as they are committed.
import { useEffect, useState } from "react";
import { requestSubscription } from "relay-runtime";

import { ADDED } from "./documents.js";
import { environment, onConnection } from "./environment.js";

/** Whether the list hears of new ratings. */
export function useLive(list, orderBy, onAdded) {
  const [isLive, setLive] = useState(true);
  useEffect(() => {
    let wasLost = false;
    const stop = onConnection((isOpen) => {
      setLive(isOpen);
      // What was added meanwhile was heard by nobody.
      if (isOpen && wasLost) list.refresh();
      wasLost = !isOpen;
    });
    const subscription = requestSubscription(environment, {
      subscription: ADDED,
      variables: { orderBy },
      onNext: ({ ratingAdded }) => onAdded(ratingAdded),
      onError: () => setLive(false),
    });
    return () => {
      stop();
      subscription.dispose();
    };
  }, [list, orderBy, onAdded]);
  return isLive;
}
