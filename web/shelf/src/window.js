// A window of the list: pages that follow one another, and where they stand in the whole.
//
// Pages far from view are released, and read again by the cursor of their neighbour. So neither the rows that were seen nor
// their number cost memory.
import { isBefore } from "./order.js";
import { SIZE } from "./pages.js";

/** How many rows beyond the view are kept. */
const KEPT = 6 * SIZE;

export class Window {
  #pages = [];
  #start = 0;
  #reach = 0;
  #closed = new AbortController();

  /** The sides at which a page is being read. */
  loading = new Set();

  /** Ends the requests of the window, and releases its pages: what they read belongs nowhere else. */
  close() {
    this.#closed.abort();
  }

  get signal() {
    return this.#closed.signal;
  }

  get start() {
    return this.#start;
  }

  get edges() {
    return this.#pages.flatMap(({ edges }) => edges);
  }

  get end() {
    return this.#start + this.#pages.reduce((sum, { edges }) => sum + edges.length, 0);
  }

  get hasPrevious() {
    return this.#pages[0]?.connection.pageInfo.hasPreviousPage ?? false;
  }

  get hasNext() {
    return this.#pages.at(-1)?.connection.pageInfo.hasNextPage ?? false;
  }

  /** The position of a rating in the list, if the window has it. */
  indexOf(id) {
    const place = this.edges.findIndex(({ node }) => node.id === id);
    return place < 0 ? undefined : this.#start + place;
  }

  /** How far one can scroll: to the end where it is known, else a page further than anyone has looked. */
  extent(total) {
    return this.hasNext ? Math.max(total, this.#reach, this.end + SIZE) : this.end;
  }

  /** Whether this stretch is so far away that the pages between are not worth reading. */
  isFar({ first, last }) {
    return last < this.#start - KEPT || first > this.end + KEPT;
  }

  /** Which page comes next at this side. */
  beyond(side) {
    const { edges } = this;
    return side === "after" ? { first: SIZE, after: edges.at(-1)?.cursor } : { last: SIZE, before: edges[0]?.cursor };
  }

  /** Sets the first page; by how many rows the positions move. */
  open(page, start) {
    this.#pages = [page];
    this.#start = start;
    return this.#settle();
  }

  /** Adds a page at a side, and releases those at the other side that are far from view; by how many rows the positions move. */
  extend(side, page, view) {
    if (side === "after") {
      this.#pages.push(page);
    } else {
      this.#start -= page.edges.length;
      this.#pages.unshift(page);
    }
    this.#reach = Math.max(this.#reach, this.end);
    this.#trim(side, view);
    return this.#settle();
  }

  #trim(side, view) {
    const isFar = (first, last) => last < view.first - KEPT || first > view.last + KEPT;
    while (this.#pages.length > 1) {
      const page = side === "after" ? this.#pages[0] : this.#pages.at(-1);
      const { length } = page.edges;
      if (side === "after" ? !isFar(this.#start, this.#start + length) : !isFar(this.end - length, this.end)) return;
      if (side === "after") {
        this.#pages.shift();
        this.#start += length;
      } else {
        this.#pages.pop();
      }
      page.release();
    }
  }

  /** Others add and delete meanwhile: the flags are exact, and the positions follow them. */
  #settle() {
    const start = this.hasPrevious ? Math.max(1, this.#start) : 0;
    const moved = start - this.#start;
    this.#start = start;
    return moved;
  }

  /** Where an edge belongs among those of the window: behind this cursor, or where its order says. Before them all it is -1,
  behind them all more than their number. */
  place(edge, previous, orderBy) {
    const { edges } = this;
    if (previous === null && !this.hasPrevious) return 0;
    const behind = previous ? edges.findIndex(({ cursor }) => cursor === previous) : -1;
    if (behind >= 0) return behind + 1;
    const next = edges.findIndex(({ node }) => isBefore(orderBy, edge.node, node));
    if (next === 0 && this.hasPrevious) return -1;
    if (next === -1) return this.hasNext ? edges.length + 1 : edges.length;
    return next;
  }

  /** Inserts an edge in its place, if that is in the window. */
  insert(edge, place) {
    if (place < 0) this.#start += 1;
    let rest = place;
    for (const page of place < 0 ? [] : this.#pages) {
      if (rest <= page.edges.length) {
        page.insert(rest, edge);
        return;
      }
      rest -= page.edges.length;
    }
  }
}
