// What the components have in common.
import { useSyncExternalStore } from "react";

/** Whether the screen is like this, now and when it changes. */
function media(text) {
  const query = matchMedia(text);
  const subscribe = (listener) => {
    query.addEventListener("change", listener);
    return () => query.removeEventListener("change", listener);
  };
  return () => useSyncExternalStore(subscribe, () => query.matches);
}

const useNarrow = media("(max-width: 640px)");

/** Whether there is no room for all the tools: a telephone, upright or on its side. */
export const useSmall = media("(max-width: 640px), (max-height: 500px)");

/** The height of a row in pixels: all have the same, so that a position is a product. It grows with the reader's font. */
export function useRowHeight() {
  const isNarrow = useNarrow();
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Math.round(rem * (isNarrow ? 5.5 : 4.75));
}
