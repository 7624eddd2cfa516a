// What the reader is told above the rows.
import "./Notices.css";

export function Problem({ error, retry }) {
  return (
    <div className="problem" role="alert">
      <p>
        {error.message} {error.passes && "Trying again."}
      </p>
      <button type="button" className="quiet" onClick={retry}>Retry{error.passes && " now"}</button>
    </div>
  );
}

/** Where a new rating is, if not in view. */
export function Elsewhere({ belongs, onShow, onClose }) {
  return (
    <p className="notice" role="status">
      {belongs ? "Your rating stands elsewhere in this list." : "Your rating is posted. The filters hide it."}
      {belongs && <button type="button" className="quiet" onClick={onShow}>Show it</button>}
      <button type="button" className="quiet" onClick={onClose} aria-label="Dismiss">×</button>
    </p>
  );
}
