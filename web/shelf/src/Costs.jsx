// What each page cost the database: for the reader to see that the depth of a page does not matter.
import "./Costs.css";

import { number, time } from "./format.js";
import { SIZE } from "./pages.js";

const WAYS = {
  cursor: () => "by cursor",
  around: () => "around a rating",
  end: () => "from the end",
  number: ({ skipped }) => (skipped ? `by number, ${number.format(skipped)} keys skipped` : "by number"),
};

export function Costs({ costs }) {
  // A page by number can take so long that nothing would be seen of the others.
  const most = Math.max(1, ...costs.filter(({ kind }) => kind !== "number").map(({ ms }) => ms));
  const [newest] = costs;
  return (
    <aside className="costs" aria-labelledby="costs">
      <details open={matchMedia("(min-width: 1000px)").matches}>
        <summary>
          <h2 id="costs">What a page costs</h2>
          {newest && <span className="newest"><span>page {number.format(pageOf(newest))}: </span>{time(newest.ms)}, {newest.rows} rows</span>}
        </summary>
        <p>
          The time that the database took for each page, and the rows that it returned: ten, and their two neighbours.
        </p>
        <table>
          <caption className="hidden">The pages read last, newest first</caption>
          <thead>
            <tr>
              <th scope="col">Page</th>
              <th scope="col">Time</th>
              <th scope="col">Rows</th>
            </tr>
          </thead>
          <tbody>
            {costs.map((cost) => (
              <tr key={cost.id}>
                <th scope="row">
                  {number.format(pageOf(cost))}
                  <small>{WAYS[cost.kind](cost)}</small>
                </th>
                <td>
                  {time(cost.ms)}
                  <meter min="0" max={most} value={cost.ms} aria-hidden="true" />
                </td>
                <td>{cost.rows}</td>
              </tr>
            ))}
          </tbody>
        </table>
        <p className="note">A page by number skips the keys before it. From there on, every page is read by its cursor.</p>
      </details>
    </aside>
  );
}

const pageOf = ({ start }) => Math.floor(start / SIZE) + 1;
