// How many ratings the list has, and whether that is known exactly.
import "./Count.css";

import { number } from "./format.js";

const RELATIONS = { EXACT: "exactly", ESTIMATE: "about", AT_LEAST: "at least" };
const WHY = {
  EXACT: "counted",
  ESTIMATE: "an estimate by the statistics of the database",
  AT_LEAST: "counted no further",
};

export function Count({ state, live, onExact }) {
  const { total, added } = state;
  const isExact = total?.relation === "EXACT";
  return (
    <p className="count">
      {total ? (
        <>
          <span className="relation">{RELATIONS[total.relation]}</span> <strong>{number.format(total.value)}</strong> ratings
          {!isExact && (
            <>
              <span className="why">, {WHY[total.relation]}</span>
              <button type="button" className="quiet" onClick={onExact}>Count exactly</button>
            </>
          )}
        </>
      ) : (
        <span className="bone short" />
      )}
      <span className={live ? "live on" : "live"}>{live ? "live" : "reconnecting"}{added > 0 && `, ${number.format(added)} added`}</span>
    </p>
  );
}
