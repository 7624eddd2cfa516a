// Sort, filter and search: what the URL holds.
import "./Tools.css";

import { useEffect, useState } from "react";

import { SORTS } from "./address.js";
import { useNarrow } from "./hooks.js";

const year = (text) => (/^-?\d{1,4}$/.test(text) ? Number(text) : undefined);

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
    <div className="tools">
      <form className="search" role="search" onSubmit={submit}>
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
      <Filters isFiltered={isFiltered}>
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

/** On a narrow screen they are folded away. */
function Filters({ isFiltered, children }) {
  const isNarrow = useNarrow();
  if (!isNarrow) return children;
  return (
    <details className="filters">
      <summary>{isFiltered ? "Filters set" : "Filter, jump"}</summary>
      <div>{children}</div>
    </details>
  );
}

function Year({ label, placeholder, value, onChange }) {
  const [typed, setTyped] = useState(value ?? "");
  useEffect(() => setTyped(value ?? ""), [value]);
  const commit = () => {
    const next = year(String(typed));
    if (next !== value) onChange(next);
  };
  return (
    <input
      inputMode="numeric"
      aria-label={label}
      placeholder={placeholder}
      value={typed}
      maxLength="5"
      onChange={(event) => setTyped(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === "Enter" && commit()}
    />
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
