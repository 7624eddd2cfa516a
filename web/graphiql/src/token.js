// The write token that the server has printed in its URL. It is in the fragment, which a browser sends to no server. It moves
// from the address bar to the session of the tab, so that it is there after a reload, and gone with the tab.
const KEY = "bookends:token";

function move() {
  const found = new URLSearchParams(location.hash.slice(1)).get("token");
  if (found) {
    sessionStorage.setItem(KEY, found);
    history.replaceState(history.state, "", location.pathname + location.search);
  }
  return found;
}

// A URL that differs in its fragment loads no page.
addEventListener("hashchange", () => {
  if (move()) location.reload();
});

move();
export const token = sessionStorage.getItem(KEY);
