// What the components have in common.
import { useSyncExternalStore } from "react";

const narrow = matchMedia("(max-width: 640px)");
const subscribe = (listener) => {
  narrow.addEventListener("change", listener);
  return () => narrow.removeEventListener("change", listener);
};

export const useNarrow = () => useSyncExternalStore(subscribe, () => narrow.matches);

/** The height of a row in pixels: all have the same, so that a position is a product. It grows with the reader's font. */
export function useRowHeight() {
  const isNarrow = useNarrow();
  const rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Math.round(rem * (isNarrow ? 5.5 : 4.75));
}
