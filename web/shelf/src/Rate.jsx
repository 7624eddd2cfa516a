// The form for a rating of a book.
import "./Rate.css";

import { useEffect, useRef, useState } from "react";
import { useMutation } from "react-relay";

import { RATE } from "./documents.js";

export function Rate({ book, orderBy, onRated, onClose }) {
  const dialog = useRef(null);
  const [stars, setStars] = useState();
  const [problem, setProblem] = useState();
  const [commit, isBusy] = useMutation(RATE);
  useEffect(() => {
    dialog.current.showModal();
  }, []);
  const submit = (event) => {
    event.preventDefault();
    setProblem(undefined);
    commit({
      variables: { input: { bookId: book.id, rating: stars, orderBy } },
      onCompleted: ({ rateBook }) => {
        onRated(rateBook.ratingEdge, rateBook.previousEdgeCursor);
        dialog.current?.close();
      },
      onError: setProblem,
    });
  };
  return (
    <dialog ref={dialog} className="rate" aria-labelledby="rate" onClose={onClose}>
      <form onSubmit={submit}>
        <p className="eyebrow">Your rating</p>
        <h2 id="rate">{book.name}</h2>
        <fieldset className="stars-choice">
          <legend className="hidden">Stars</legend>
          {[1, 2, 3, 4, 5].map((star) => (
            <label key={star} className={star <= stars ? "on" : undefined}>
              <input type="radio" name="stars" value={star} required checked={star === stars} onChange={() => setStars(star)} />
              <span aria-hidden="true">{star <= stars ? "★" : "☆"}</span>
              <span className="hidden">{star === 1 ? "1 star" : `${star} stars`}</span>
            </label>
          ))}
        </fieldset>
        {problem && <p className="problem" role="alert">{problem.message}</p>}
        <div className="buttons">
          <button type="button" className="quiet" onClick={() => dialog.current.close()}>Cancel</button>
          <button type="submit" disabled={isBusy}>{isBusy ? "Posting" : "Post rating"}</button>
        </div>
      </form>
    </dialog>
  );
}
