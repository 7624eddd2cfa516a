// The page: the list in the middle, what may be asked of it above, and what it costs beside it.
import "./App.css";

import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";

import { Costs } from "./Costs.jsx";
import { Count } from "./Count.jsx";
import { Feed } from "./Feed.jsx";
import { Elsewhere, Problem } from "./Notices.jsx";
import { Pager } from "./Pager.jsx";
import { Rate } from "./Rate.jsx";
import { Tools } from "./Tools.jsx";
import { listOf, read, write } from "./address.js";
import { number } from "./format.js";
import { List } from "./list.js";
import { useLive } from "./live.js";
import { SIZE } from "./pages.js";

/** How long a page is in view before the URL and the screen reader learn of it, in milliseconds. */
const REST = 250;

/** What the build says in the page: where the licences of its parts are. */
const licenses = document.querySelector("link[rel=license]");

const same = (a, b) => JSON.stringify(listOf(a)) === JSON.stringify(listOf(b));

export function App() {
  const [address, setAddress] = useState(() => read(location.search));
  const arguments_ = useMemo(() => listOf(address), [address.sort, address.stars.join(), address.from, address.to, address.search]); // eslint-disable-line
  const list = useMemo(() => new List(arguments_), [arguments_]);
  const state = useSyncExternalStore(list.subscribe, list.getSnapshot);
  const [page, setPage] = useState(1);
  const [marked, setMarked] = useState(address.rating);
  const [rated, setRated] = useState();
  const [said, setSaid] = useState("");
  const shown = useRef(address);

  // The list opens where its URL says.
  const go = useCallback((on, { page: to, rating }) => {
    setMarked(rating);
    if (rating) on.openAround(rating);
    else on.openPage(to ?? 1);
  }, []);
  useEffect(() => {
    go(list, shown.current);
    return () => list.close();
  }, [list, go]);

  const navigate = useCallback((change) => {
    const next = { ...shown.current, page: undefined, rating: undefined, ...change };
    const isSame = same(next, shown.current);
    shown.current = next;
    // Where one is already is no step back.
    if (write(next) !== write(read(location.search))) history.pushState(null, "", write(next));
    setAddress(next);
    if (isSame) go(list, next);
  }, [list, go]);

  useEffect(() => {
    const onPop = () => {
      const next = read(location.search);
      const isSame = same(next, shown.current);
      shown.current = next;
      setAddress(next);
      if (isSame) go(list, next);
    };
    addEventListener("popstate", onPop);
    return () => removeEventListener("popstate", onPop);
  }, [list, go]);

  // Scrolling moves the page number in the URL, without a step in the history.
  const onView = useCallback((index) => setPage(Math.floor(index / SIZE) + 1), []);
  useEffect(() => {
    if (!state.opened) return undefined;
    const timer = setTimeout(() => {
      setSaid(`Page ${number.format(page)}`);
      if (shown.current.rating || (shown.current.page ?? 1) === page) return;
      shown.current = { ...shown.current, page };
      history.replaceState(null, "", write(shown.current));
    }, REST);
    return () => clearTimeout(timer);
  }, [page, state.opened]);

  const insert = useCallback((edge, previous) => {
    const index = list.insert(edge, previous);
    if (index === undefined) return false;
    setMarked(edge.node.id);
    setSaid(`A new rating stands at ${number.format(index + 1)}`);
    return list.isInView(index);
  }, [list]);
  const onAdded = useCallback(async (edge) => {
    if (!list.isFiltered || (await list.has(edge.node.id))) insert(edge);
  }, [list, insert]);
  const isLive = useLive(list, arguments_.orderBy, onAdded);

  const [elsewhere, setElsewhere] = useState();
  const onRated = async (edge, previous) => {
    const belongs = !list.isFiltered || (await list.has(edge.node.id));
    const isShown = belongs && insert(edge, list.isFiltered ? undefined : previous);
    setElsewhere(isShown ? undefined : { id: edge.node.id, belongs });
  };
  const onLink = useCallback((event, id) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    navigate({ rating: id });
  }, [navigate]);

  return (
    <>
      <header className="masthead">
        <div>
          <h1>The shelf</h1>
          <p>
            Every rating in the shop, read page by page. A page deep in the list costs what the first one does.
          </p>
        </div>
        <nav aria-label="Bookends">
          <a href="./">GraphiQL</a>
          <a href="./schema.graphql">Schema</a>
          {licenses && <a href={licenses.href} rel="license">Licences</a>}
        </nav>
      </header>
      <Tools address={address} onChange={navigate} onJump={(rating) => navigate({ rating })} />
      <div className="columns">
        <main className="list">
          <Count state={state} live={isLive} onExact={() => list.count(true)} />
          {state.problem && (
            <Problem {...state.problem} isOpened={state.opened} onHome={() => navigate({ page: 1 })} onClose={() => list.dismiss()} />
          )}
          {elsewhere && (
            <Elsewhere
              belongs={elsewhere.belongs}
              onShow={() => {
                setElsewhere(undefined);
                navigate({ rating: elsewhere.id });
              }}
              onClose={() => setElsewhere(undefined)}
            />
          )}
          <Feed
            list={list}
            state={state}
            marked={marked}
            onPage={onView}
            onRate={setRated}
            onLink={onLink}
            onHome={() => navigate({ page: 1 })}
            onEnd={() => list.openLast()}
          />
          <Pager page={page} state={state} onPage={(to) => navigate({ page: to })} onLast={() => list.openLast()} />
          <p className="hidden" role="status" aria-live="polite">{said}</p>
        </main>
        <Costs costs={state.costs} />
      </div>
      {rated && <Rate key={rated.id} book={rated} orderBy={arguments_.orderBy} onRated={onRated} onClose={() => setRated(undefined)} />}
    </>
  );
}
