// One rating: its stars, its book, and what can be done with it.
import "./Row.css";

import { memo } from "react";
import { graphql, useFragment } from "react-relay";

import { day, mean, number } from "./format.js";

export function Stars({ rating }) {
  return (
    <span className="stars" role="img" aria-label={`${rating} of 5 stars`}>
      <span>{"★".repeat(rating)}</span>
      <span className="missing">{"☆".repeat(5 - rating)}</span>
    </span>
  );
}

export const Row = memo(function Row({ rating: key, index, isActive, onRate, onLink }) {
  const { id, rating, createdAt, book } = useFragment(
    graphql`
      fragment Row_rating on Rating {
        id
        rating
        createdAt
        book {
          id
          name
          year
          averageRating
          ratingCount
        }
      }
    `,
    key,
  );
  const { name, year, averageRating, ratingCount } = book;
  // The keys of the list go from row to row; Tab goes into the row that has the focus.
  const tabIndex = isActive ? 0 : -1;
  return (
    <>
      <span className="position" aria-hidden="true">{number.format(index + 1)}</span>
      <Stars rating={rating} />
      <div className="book">
        <h2>{name}</h2>
        <p>
          <span>{year}</span>
          <span>
            {mean.format(averageRating)} average, {number.format(ratingCount)} {ratingCount === 1 ? "rating" : "ratings"}
          </span>
          <time dateTime={createdAt}>{day.format(new Date(createdAt))}</time>
        </p>
      </div>
      <div className="actions">
        <button type="button" tabIndex={tabIndex} className="quiet" onClick={() => onRate(book)} aria-label={`Rate ${name}`}>
          Rate
        </button>
        <a href={`?rating=${id}`} tabIndex={tabIndex} className="quiet" onClick={(event) => onLink(event, id)} aria-label="Link to this rating">
          Link
        </a>
      </div>
    </>
  );
});

/** A row that is loading. */
export function Skeleton() {
  return (
    <>
      <span className="position" />
      <span className="bone short" />
      <div className="book">
        <span className="bone" />
        <span className="bone half" />
      </div>
    </>
  );
}
