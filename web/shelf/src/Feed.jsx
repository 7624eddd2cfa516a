// The rows in view. Their number in the document is bounded, and so is the height of what scrolls: browsers end it at some
// millions of pixels, so a long list is shown in stretches.
import "./Feed.css";

import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

import { Row, Skeleton } from "./Row.jsx";
import { number } from "./format.js";
import { useRowHeight } from "./hooks.js";
import { SIZE } from "./pages.js";

/** The rows of a stretch, and how near its end the next one is taken. */
const STRETCH = 100_000;
const MARGIN = 1_000;

const STEPS = { ArrowDown: 1, ArrowUp: -1, PageDown: SIZE, PageUp: -SIZE };

const stretchOf = (index, extent) => Math.max(0, Math.min(index - STRETCH / 2, extent - STRETCH));

export function Feed({ list, state, marked, onPage, onRate, onLink, onEnd, onHome }) {
  const { start, edges, extent, hasNext, shift, target, opened, total, problem } = state;
  const scroller = useRef(null);
  const height = useRowHeight();
  const [base, setBase] = useState(0);
  const [active, setActive] = useState(0);
  /** The row that will have the focus. */
  const focuses = useRef();
  const focusesTarget = useRef(false);
  /** The row that was gone to, and where the list then stood. */
  const gone = useRef();
  const isLoading = !opened && !problem?.error.isFinal;
  const count = opened ? Math.min(extent - base, STRETCH) : isLoading ? SIZE : 0;
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 4,
    getItemKey: useCallback((row) => base + row, [base]),
  });

  useLayoutEffect(() => rows.measure(), [rows, height]);

  // Rows that were added above the view move it.
  const shifted = useRef(shift);
  useLayoutEffect(() => {
    const moved = shift - shifted.current;
    shifted.current = shift;
    if (moved === 0) return;
    scroller.current.scrollTop += moved * height;
    setActive((index) => Math.max(0, index + moved));
  }, [shift, height]);

  // Where the list was opened, or the reader asked to go: the stretch first, which the position depends on.
  const [aimed, setAimed] = useState(target);
  if (aimed !== target) {
    const { index } = target;
    setAimed(target);
    setActive(index);
    if (index < base + MARGIN || index >= base + STRETCH - MARGIN) setBase(stretchOf(index, extent));
  }
  useLayoutEffect(() => {
    if (target.stamp === 0) return;
    focuses.current = focusesTarget.current ? target.index : undefined;
    focusesTarget.current = false;
    scrollTo(target.index, target.align ?? (target.id ? "center" : "start"));
    gone.current = { index: target.index, top: scroller.current.scrollTop };
  }, [target]); // eslint-disable-line

  /** Brings a row into view. All rows have the same height, so nothing needs to be measured on the way. */
  function scrollTo(index, align) {
    const { scrollTop, clientHeight } = scroller.current;
    const top = (index - base) * height;
    const end = top + height - clientHeight;
    const nearest = Math.max(end, Math.min(top, scrollTop));
    scroller.current.scrollTop = { start: top, center: (top + end) / 2, end, nearest }[align];
  }

  const view = useCallback(() => {
    const { scrollTop, clientHeight } = scroller.current;
    const first = base + Math.floor((scrollTop + 1) / height);
    const last = Math.min(extent, base + Math.ceil((scrollTop + clientHeight) / height)) - 1;
    return [Math.max(0, first), last];
  }, [base, height, extent]);

  const look = useCallback(() => {
    if (!opened) return;
    const [first, last] = view();
    list.show(first, last);
    // The last pages can be in view together, so none of them need be at the top.
    const hasScrolled = gone.current?.top !== scroller.current.scrollTop;
    const isAtEnd = !hasNext && last === extent - 1;
    onPage(hasScrolled ? (isAtEnd ? last : first) : gone.current.index);
    const next = stretchOf(first, extent);
    const isNear = (first - base < MARGIN && base > 0) || (base + STRETCH - last < MARGIN && base + STRETCH < extent);
    if (isNear && next !== base) {
      setBase(next);
      scroller.current.scrollTop += (base - next) * height;
    }
  }, [list, opened, view, base, extent, hasNext, height, onPage]);
  useEffect(look, [look, edges]);

  // The row that was gone to by keys has the focus once it is there.
  useEffect(() => {
    if (focuses.current === undefined) return;
    const row = scroller.current.querySelector(`[data-index="${focuses.current}"]`);
    if (!row) return;
    focuses.current = undefined;
    row.focus({ preventScroll: true });
  });

  function go(index) {
    const to = Math.max(0, Math.min(extent - 1, index));
    focuses.current = to;
    setActive(to);
    scrollTo(to, "nearest");
  }

  function onKeyDown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || !event.target.matches("article, .feed")) return;
    const { key } = event;
    if (key in STEPS) go(active + STEPS[key]);
    else if (key === "Home" || key === "End") {
      focusesTarget.current = true;
      if (key === "Home") onHome();
      else onEnd();
    } else if (key === "Enter") event.target.querySelector("button")?.click();
    else return;
    event.preventDefault();
  }

  const items = rows.getVirtualItems();
  const visible = items.some(({ index }) => base + index === active) ? active : base + (items[0]?.index ?? 0);
  const size = total?.relation === "EXACT" ? total.value : -1;
  return (
    <div className="scroller" ref={scroller} onScroll={look}>
      <div className="feed" role="feed" aria-label="Ratings" aria-busy={isLoading} style={{ height: rows.getTotalSize() }} onKeyDown={onKeyDown}>
        {items.map(({ index: row, start: top, key }) => {
          const index = base + row;
          const edge = opened ? edges[index - start] : undefined;
          return (
            <article
              key={key}
              className={edge ? (edge.node.id === marked ? "row marked" : "row") : "row skeleton"}
              data-index={index}
              data-id={edge?.node.id}
              tabIndex={index === visible ? 0 : -1}
              aria-posinset={index + 1}
              aria-setsize={size}
              aria-busy={!edge}
              aria-label={edge ? undefined : `Rating ${number.format(index + 1)} is loading`}
              style={{ height, transform: `translateY(${top}px)` }}
              onFocus={() => setActive(index)}
            >
              {edge ? <Row rating={edge.node} index={index} isActive={index === visible} onRate={onRate} onLink={onLink} /> : <Skeleton />}
            </article>
          );
        })}
      </div>
      {opened && extent === 0 && !problem && <p className="empty">No rating matches. Search for other words, or drop a filter.</p>}
    </div>
  );
}
