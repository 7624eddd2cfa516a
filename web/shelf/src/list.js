// The list as the page shows it: one window at a time, read on where the reader looks.
import { isFiltered } from "./address.js";
import { again, around, behind, last, pageAt, readPage } from "./openings.js";
import { SIZE } from "./pages.js";
import { count, cursors, has } from "./queries.js";
import { Retry } from "./retry.js";
import { Window } from "./window.js";

/** How many rows beyond the view are read ahead. */
const AHEAD = 2 * SIZE;

/** How long the scroll bar rests before the page at which it stands is read, in milliseconds. */
const REST = 120;

/** How many costs are shown. */
const COSTS = 8;

/** How many ids of new ratings are remembered. */
const SEEN = 200;

export class List {
  #list;
  #window = new Window();
  #opened = false;
  /** The window that will replace this one. */
  #next;
  /** Whether the reader asked for that window, and did not scroll there. */
  #isAimed = false;
  #view = { first: 0, last: SIZE };
  /** By how many rows the positions have moved since the list was opened. */
  #shift = 0;
  #target = { index: 0, stamp: 0 };
  #total;
  /** Where pages begin, by their numbers. */
  #cursors = new Map();
  #costs = [];
  #costId = 0;
  #problem;
  #retry = new Retry();
  #rest;
  #seen = new Set();
  #added = 0;
  #closed = new AbortController();
  #listeners = new Set();
  #snapshot;

  constructor(list) {
    this.#list = list;
    this.#changed();
  }

  subscribe = (listener) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  getSnapshot = () => this.#snapshot;

  get isFiltered() {
    return isFiltered(this.#list);
  }

  /** Stops all requests, and releases everything. */
  close() {
    this.#stop();
    this.#window.close();
    this.#closed.abort();
  }

  /** Opens the page with this number: by its cursor if that is known, else by skipping keys. */
  openPage(number) {
    const start = (number - 1) * SIZE;
    if (this.#opened && start >= this.#window.start && start < this.#window.end) {
      this.#aim({ index: start });
      return;
    }
    this.#open(pageAt(number, this.#cursors.get(number)));
  }

  /** Opens the page in which this rating stands. */
  openAround(id) {
    this.#open(around(id));
  }

  /** Opens the last page. */
  openLast() {
    if (this.#opened && !this.#window.hasNext) this.#aim({ index: Math.max(0, this.#window.end - 1), align: "end" });
    else this.#open(last);
  }

  /** Reads the list again where it is in view, after events may have been missed. */
  refresh() {
    this.count();
    const { first } = this.#view;
    const id = this.#window.edges[first - this.#window.start]?.node.id;
    // What is being opened is new anyway.
    if (!id || this.#next) return;
    this.#open(again(id, first));
  }

  /** Counts the list: exactly where that costs nothing, or where it is asked for. */
  async count(exactly = false) {
    try {
      this.#total = await count(this.#list, exactly, this.#closed.signal);
      this.#changed();
    } catch (error) {
      if (exactly) this.#failed(error, () => this.count(true));
    }
  }

  /** Whether the list, with its filters, has this rating. */
  has(id) {
    return has(this.#list, id, this.#closed.signal);
  }

  /** Reads what is in view, or soon will be, and releases what is far from it. */
  show(first, last) {
    this.#view = { first, last };
    if (!this.#opened || this.#problem?.halts || this.#rest || (this.#next && this.#isAimed)) return;
    const window = this.#window;
    if (window.isFar(this.#view)) {
      // A scroll bar that is dragged passes many pages, of which none is wanted. One that failed is not tried again.
      if (!this.#problem || this.#isAimed) this.#rest = setTimeout(() => this.#rested(), REST);
      return;
    }
    if (last + AHEAD > window.end && window.hasNext) this.#extend("after");
    if (first - AHEAD < window.start && window.hasPrevious) this.#extend("before");
  }

  /** Inserts an edge in its place: after the edge with this cursor, or where its order says. The event and the response of a
  mutation bring the same edge, in any order. Its position, if the window has it. */
  insert(edge, previous) {
    const { id } = edge.node;
    if (!this.#seen.has(id)) this.#add(edge, previous);
    return this.#window.indexOf(id);
  }

  /** Whether the row at this position is in view. */
  isInView(index) {
    return index >= this.#view.first && index <= this.#view.last;
  }

  #add(edge, previous) {
    const { id } = edge.node;
    this.#seen.add(id);
    if (this.#seen.size > SEEN) this.#seen.delete(this.#seen.values().next().value);
    this.#added += 1;
    this.#cursors.clear();
    this.count();
    const window = this.#window;
    if (!this.#opened || window.indexOf(id) !== undefined) return;
    const place = window.place(edge, previous, this.#list.orderBy);
    const { first, last } = this.#view;
    if (first > 0 && window.start + place <= first) {
      this.#shift += 1;
      this.#view = { first: first + 1, last: last + 1 };
    }
    window.insert(edge, place);
    this.#changed();
  }

  /** Goes to a row of this window. */
  #aim(target) {
    this.#stop();
    this.#go(target);
    this.#changed();
    this.#look();
  }

  #go(target) {
    this.#target = { ...target, stamp: this.#target.stamp + 1 };
    this.#view = { first: target.index, last: target.index + SIZE };
  }

  /** Where the scroll bar rests. */
  #rested() {
    this.#rest = undefined;
    const { first } = this.#view;
    if (this.#window.isFar(this.#view)) this.#open(behind(first - (first % SIZE)), false);
    else this.#look();
  }

  #context({ signal }) {
    return { list: this.#list, signal, onChange: () => this.#changed() };
  }

  /** Replaces the window. Scrolling cannot take back what the reader aimed at. */
  async #open(read, isAimed = true) {
    this.#stop();
    const next = new Window();
    this.#next = next;
    this.#isAimed = isAimed;
    if (this.#total === undefined) this.count();
    this.#changed();
    try {
      const { page, start, place, way, target, total, shift = 0 } = await read(this.#context(next));
      if (next.signal.aborted) return;
      this.#next = undefined;
      this.#window.close();
      this.#window = next;
      this.#opened = true;
      if (total) this.#total = total;
      const moved = next.open(page, start);
      if (target) this.#go({ ...target, index: target.index + moved });
      else this.#shift += shift + moved;
      this.#read(page, next.start, way);
      if (place) this.#know(place, next.signal);
      this.#changed();
      this.#look();
    } catch (error) {
      if (next.signal.aborted) return;
      // What fails for good leaves the list as it was.
      if (!error.passes) this.#next = undefined;
      this.#failed(error, () => this.#open(read, isAimed), error.passes || !this.#opened);
    }
  }

  /** Reads the page after the window, or before it. */
  async #extend(side) {
    const window = this.#window;
    if (window.loading.has(side)) return;
    window.loading.add(side);
    try {
      const page = await readPage(this.#context(window), window.beyond(side));
      if (window.signal.aborted) return;
      this.#shift += window.extend(side, page, this.#view);
      this.#read(page, side === "after" ? window.end - page.edges.length : window.start, { kind: "cursor" });
      window.loading.delete(side);
      this.#changed();
      this.#look();
    } catch (error) {
      window.loading.delete(side);
      if (!window.signal.aborted) this.#failed(error, () => this.#look(), true);
    }
  }

  #look() {
    this.show(this.#view.first, this.#view.last);
  }

  async #know(place, signal) {
    // Without them, pages are opened by their numbers.
    const known = await cursors(this.#list, place, signal).catch(() => undefined);
    if (known && !signal.aborted) this.#cursors = known;
  }

  /** A page has come, and cost something. */
  #read({ cost, edges: { length } }, start, way) {
    this.#retry.succeeded();
    if (!cost) return;
    this.#costId += 1;
    this.#costs = [{ id: this.#costId, start, length, ...way, ...cost }, ...this.#costs].slice(0, COSTS);
  }

  /** Tells the reader; nothing else is read until then, if this halts the list. */
  #failed(error, retry, halts = false) {
    if (this.#closed.signal.aborted) return;
    const again = () => {
      this.#retry.cancel();
      this.#problem = undefined;
      this.#changed();
      retry();
    };
    this.#problem = { error, retry: again, halts };
    if (error.passes) this.#retry.plan(error, again);
    this.#changed();
  }

  /** Takes the problem from the page. */
  dismiss() {
    this.#problem = undefined;
    this.#changed();
  }

  /** Drops what was about to be opened, and the problem with it. */
  #stop() {
    this.#next?.close();
    this.#next = undefined;
    this.#problem = undefined;
    this.#retry.cancel();
    clearTimeout(this.#rest);
    this.#rest = undefined;
  }

  #changed() {
    const { start, edges, hasNext } = this.#window;
    this.#snapshot = {
      start,
      edges,
      hasNext,
      extent: this.#window.extent(this.#total?.relation === "EXACT" ? this.#total.value : 0),
      shift: this.#shift,
      target: this.#target,
      total: this.#total,
      costs: this.#costs,
      problem: this.#problem,
      opened: this.#opened,
      added: this.#added,
    };
    this.#listeners.forEach((listener) => listener());
  }
}
