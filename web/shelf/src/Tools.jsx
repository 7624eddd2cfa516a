// Sort, filter and search: what the URL holds.
import "./Tools.css";

import { useEffect, useId, useState } from "react";

import { SORTS, year } from "./address.js";
import { useSmall } from "./hooks.js";

export function Tools({ address, onChange, onJump }) {
  const [search, setSearch] = useState(address.search ?? "");
  useEffect(() => setSearch(address.search ?? ""), [address.search]);
  const toggle = (star) => {
    const stars = address.stars.includes(star) ? address.stars.filter((it) => it !== star) : [...address.stars, star].sort();
    onChange({ stars });
  };
  const submit = (event) => {
    event.preventDefault();
    onChange({ search: search.trim() || undefined });
  };
  const isFiltered = address.stars.length > 0 || address.from !== undefined || address.to !== undefined || address.search;
  return (
    <div className="tools" role="search" aria-label="Ratings">
      <form className="search" onSubmit={submit}>
        <input type="search" aria-label="Search titles" placeholder="Search titles: fifth symph*" maxLength="200" value={search} onChange={(event) => setSearch(event.target.value)} />
        <button type="submit">Search</button>
      </form>
      <label className="sort">
        <span className="hidden">Order</span>
        <select value={address.sort} onChange={(event) => onChange({ sort: event.target.value })}>
          {Object.entries(SORTS).map(([sort, { title }]) => (
            <option key={sort} value={sort}>{title}</option>
          ))}
        </select>
      </label>
      <Filters isFiltered={isFiltered} opens={[address.from, address.to].some((it) => typeof it === "string")}>
      <fieldset className="choice">
        <legend className="hidden">Stars</legend>
        {[5, 4, 3, 2, 1].map((star) => (
          <label key={star}>
            <input type="checkbox" checked={address.stars.includes(star)} onChange={() => toggle(star)} />
            <span aria-hidden="true">{star}★</span>
            <span className="hidden">{star} stars</span>
          </label>
        ))}
      </fieldset>
      <fieldset className="years">
        <legend className="hidden">Year of publication</legend>
        <Year label="Published from" placeholder="from year" value={address.from} onChange={(from) => onChange({ from })} />
        <span aria-hidden="true">–</span>
        <Year label="Published to" placeholder="to year" value={address.to} onChange={(to) => onChange({ to })} />
      </fieldset>
      <Jump onJump={onJump} />
      {isFiltered && (
        <button type="button" className="quiet clear" onClick={() => onChange({ stars: [], from: undefined, to: undefined, search: undefined })}>
          Clear filters
        </button>
      )}
      </Filters>
    </div>
  );
}

/** On a small screen they are folded away, unless they have something to say when the page opens. */
function Filters({ isFiltered, opens, children }) {
  const isSmall = useSmall();
  const [open] = useState(opens);
  if (!isSmall) return children;
  return (
    <details className="filters" open={open}>
      <summary>{isFiltered ? "Filters set" : "Filter, jump"}</summary>
      <div>{children}</div>
    </details>
  );
}

function Year({ label, placeholder, value, onChange }) {
  const [typed, setTyped] = useState(value ?? "");
  useEffect(() => setTyped(value ?? ""), [value]);
  const commit = () => {
    const next = year(String(typed).trim());
    if (next !== value) onChange(next);
  };
  const problem = useId();
  const isYear = typeof value !== "string";
  return (
    <>
      <input
        inputMode="numeric"
        aria-label={label}
        aria-invalid={!isYear}
        aria-describedby={isYear ? undefined : problem}
        placeholder={placeholder}
        value={typed}
        maxLength="5"
        onChange={(event) => setTyped(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => event.key === "Enter" && commit()}
      />
      {!isYear && <p id={problem} role="alert">“{value}” is not a year. Write one as 1950.</p>}
    </>
  );
}

/** Takes the id of a rating, or a link to one. */
function Jump({ onJump }) {
  const [typed, setTyped] = useState("");
  const submit = (event) => {
    event.preventDefault();
    const id = (/[?&]rating=([\w-]+)/.exec(typed)?.[1] ?? typed).trim();
    if (id) onJump(id);
    setTyped("");
  };
  return (
    <form className="jump" onSubmit={submit}>
      <input aria-label="Jump to a rating: its id, or a link to it" placeholder="Jump to a rating’s id or link" value={typed} onChange={(event) => setTyped(event.target.value)} />
      <button type="submit">Jump</button>
    </form>
  );
}
