// The pages by number, and a field for any of them.
import "./Pager.css";

import { useEffect, useState } from "react";

import { number } from "./format.js";
import { SIZE } from "./pages.js";

/** The numbers around a page, with the ends; null for a gap. */
function numbers(page, last) {
  const near = [page - 1, page, page + 1].filter((it) => it >= 1 && it <= last);
  const left = near[0] === 1 ? [] : near[0] === 2 ? [1] : [1, null];
  const right = near.at(-1) === last ? [] : near.at(-1) === last - 1 ? [last] : [null, last];
  return [...left, ...near, ...right];
}

export function Pager({ page, state, onPage, onLast }) {
  const { extent, total, hasNext, opened } = state;
  const isKnown = total?.relation === "EXACT" || !hasNext;
  const last = Math.max(1, Math.ceil(extent / SIZE));
  const [typed, setTyped] = useState("");
  useEffect(() => setTyped(""), [page]);
  const submit = (event) => {
    event.preventDefault();
    const wanted = Math.floor(Number(typed));
    if (wanted >= 1) onPage(isKnown ? Math.min(wanted, last) : wanted);
    setTyped("");
  };
  return (
    <nav className="pager" aria-label="Pages">
      <button type="button" className="quiet" disabled={page <= 1} onClick={() => onPage(page - 1)} aria-label="Previous page">
        ←
      </button>
      <ol>
        {numbers(Math.min(page, last), last).map((it, index) =>
          it === null ? (
            <li key={index} className="gap" aria-hidden="true">…</li>
          ) : (
            <li key={index}>
              <button type="button" className="quiet" aria-current={opened && it === page ? "page" : undefined} onClick={() => onPage(it)} aria-label={`Page ${number.format(it)}`}>
                {number.format(it)}
              </button>
            </li>
          ),
        )}
        {!isKnown && (
          <li>
            <button type="button" className="quiet" onClick={onLast}>Last</button>
          </li>
        )}
      </ol>
      <button type="button" className="quiet" disabled={!opened || (isKnown && page >= last)} onClick={() => onPage(page + 1)} aria-label="Next page">
        →
      </button>
      <form onSubmit={submit}>
        <label>
          <span aria-hidden="true">Go to page</span>
          <input type="number" aria-label="Go to page" inputMode="numeric" min="1" max={isKnown ? last : undefined} placeholder={number.format(page)} value={typed} onChange={(event) => setTyped(event.target.value)} />
        </label>
        <button type="submit" className="quiet">Go</button>
      </form>
    </nav>
  );
}
