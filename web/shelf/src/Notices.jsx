// What the reader is told above the rows.
import "./Notices.css";

/** What was asked for and did not come. The same request is worth repeating, or there is another way to go on. */
export function Problem({ error, retry, isOpened, onHome, onClose }) {
  return (
    <div className="problem" role="alert">
      <p>
        {error.message} {error.passes && "Trying again."}
      </p>
      {!error.isFinal && <button type="button" className="quiet" onClick={retry}>Retry{error.passes && " now"}</button>}
      {error.isFinal && !isOpened && <button type="button" className="quiet" onClick={onHome}>Show the first page</button>}
      {error.isFinal && isOpened && <Dismiss onClick={onClose} />}
    </div>
  );
}

function Dismiss({ onClick }) {
  return <button type="button" className="quiet" onClick={onClick} aria-label="Dismiss">×</button>;
}

/** Where a new rating is, if not in view. */
export function Elsewhere({ belongs, onShow, onClose }) {
  return (
    <p className="notice" role="status">
      {belongs ? "Your rating stands elsewhere in this list." : "Your rating is posted. The filters hide it."}
      {belongs && <button type="button" className="quiet" onClick={onShow}>Show it</button>}
      <Dismiss onClick={onClose} />
    </p>
  );
}
