// The list as the page shows it: a window of pages that follow one another, and where it stands in the whole list.
//
// Pages far from view are released, and read again by the cursor of their neighbour. So neither the rows that were seen nor
// their number cost memory.
import { isFiltered } from "./address.js";
import { COUNT, CURSORS, PAGE, POSITION } from "./documents.js";
import { isBefore } from "./order.js";
import { SIZE, ask, open } from "./pages.js";

/** How many rows beyond the view are read ahead, and how many are kept. */
const AHEAD = 2 * SIZE;
const KEPT = 6 * SIZE;

/** The pauses before another attempt, in milliseconds. */
const PAUSES = [500, 1000, 2000, 4000];

/** How many costs are shown. */
const COSTS = 8;

/** How many ids of new ratings are remembered. An event can come before or after the response of its mutation. */
const SEEN = 200;

export class List {
  #list;
  #pages = [];
  #start = 0;
  #reach = 0;
  #view = { first: 0, last: SIZE };
  #shift = 0;
  #target = { index: 0, stamp: 0 };
  #total;
  #costs = [];
  #costId = 0;
  /** Where pages begin, by their numbers. */
  #cursors = new Map();
  #problem;
  #failures = 0;
  #retry;
  #opened = false;
  #jump;
  #loading = new Set();
  #abort = new AbortController();
  #seen = new Set();
  #added = 0;
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
    this.#release();
  }

  /** Opens the page with this number: by its cursor if that is known, else by skipping keys. */
  openPage(number) {
    const start = (number - 1) * SIZE;
    if (this.#opened && start >= this.#start && start < this.#end) {
      this.#aim(start);
      return;
    }
    const cursor = number === 1 ? "" : this.#cursors.get(number);
    const place = cursor === undefined ? { first: SIZE, offset: start } : { first: SIZE, after: cursor || undefined };
    this.#open(async (signal) => {
      const page = await this.#page(place, signal);
      const way = cursor === undefined ? { kind: "number", skipped: start } : { kind: "cursor" };
      return { page, start, way, place };
    }, start);
  }

  /** Looks up the cursors of the pages around this place. Of a filtered list they would cost too much. */
  async #look(place, signal) {
    if (this.isFiltered) return;
    try {
      const { pageCursors } = (await ask(CURSORS, { ...place, orderBy: this.#list.orderBy }, signal)).data.ratings;
      if (signal.aborted) return;
      const known = [...pageCursors.around, pageCursors.last].filter((page) => page?.page);
      this.#cursors = new Map(known.map(({ page, cursor }) => [page, cursor]));
    } catch {
      // Without them, pages are opened by their numbers.
    }
  }

  /** Opens the page in which this rating stands. */
  openAround(id) {
    this.#open(async (signal) => {
      const { page, start, index } = await this.#around(id, signal);
      return { page, start, way: { kind: "around" }, target: { index, id } };
    });
  }

  /** Opens the last page. Its rows are found from the end; their numbers need an exact count. */
  openLast() {
    if (this.#opened && !this.#hasNext) {
      this.#aim(this.#end - 1, "end");
      return;
    }
    this.#open(async (signal) => {
      const page = await this.#page({ last: SIZE, counted: true }, signal);
      const total = page.connection.totalCount;
      this.#total = { value: total, relation: "EXACT" };
      const start = Math.max(0, total - page.edges.length);
      return { page, start, way: { kind: "end" }, target: { index: Math.max(0, total - 1), align: "end" } };
    });
  }

  /** Reads the list again where it is in view, after events may have been missed. */
  refresh() {
    this.count();
    const { first } = this.#view;
    const id = this.#edgeAt(first)?.node.id;
    if (!id) return;
    this.#open(async (signal) => {
      try {
        const { page, start, index } = await this.#around(id, signal);
        return { page, start, way: { kind: "around" }, target: undefined, shift: index - first };
      } catch (error) {
        if (error.code !== "NOT_FOUND") throw error;
        const page = await this.#page({ first: SIZE, offset: first }, signal);
        return { page, start: first, way: { kind: "number", skipped: first }, target: undefined };
      }
    });
  }

  /** Counts the list: exactly where that costs nothing, or where it is asked for. */
  async count(exactly = false) {
    const { where, search } = this.#list;
    const signal = this.#abort.signal;
    try {
      const { ratings } = (await ask(COUNT, { where, search, exactly }, signal)).data;
      if (signal.aborted) return;
      this.#total = ratings.approximateCount ?? { value: ratings.totalCount, relation: "EXACT" };
    } catch (error) {
      if (!exactly || signal.aborted) return;
      this.#problem = { error, retry: () => this.count(true) };
    }
    this.#changed();
  }

  /** Whether the list, with its filters, has this rating. */
  async has(id) {
    const { where, search, orderBy } = this.#list;
    const only = { orderBy, search, where: { and: [where ?? {}, { id: { eq: id } }] } };
    const { edges } = (await ask(PAGE, { ...only, first: 1, counted: false }, this.#abort.signal)).data.ratings;
    return edges.length > 0;
  }

  /** Reads what is in view, or soon will be, and releases what is far from it. */
  show(first, last) {
    this.#view = { first, last };
    if (!this.#opened || this.#problem || this.#jump) return;
    if (last < this.#start - KEPT || first > this.#end + KEPT) {
      // Who drags the scroll bar passes many pages, and wants none of them.
      this.#jump = setTimeout(() => {
        this.#jump = undefined;
        const page = Math.floor(this.#view.first / SIZE) + 1;
        if (this.#view.last < this.#start || this.#view.first > this.#end) this.#leap(page);
        else this.show(this.#view.first, this.#view.last);
      }, 120);
      return;
    }
    if (last + AHEAD > this.#end && this.#hasNext) this.#extend("after");
    if (first - AHEAD < this.#start && this.#hasPrevious) this.#extend("before");
  }

  /** Inserts an edge in its place: after the edge with this cursor, or where its order says. */
  insert(edge, previous) {
    const { id } = edge.node;
    if (this.#seen.has(id)) return undefined;
    this.#seen.add(id);
    if (this.#seen.size > SEEN) this.#seen.delete(this.#seen.values().next().value);
    this.#added += 1;
    this.#cursors.clear();
    this.count();
    const edges = this.#edges;
    if (!this.#opened || edges.some(({ node }) => node.id === id)) return undefined;
    const place = this.#place(edges, edge, previous);
    const above = this.#start + place <= this.#view.first && this.#view.first > 0;
    if (above) this.#shift += 1;
    if (place < 0) {
      this.#start += 1;
    } else if (place <= edges.length) {
      let index = place;
      const page = this.#pages.find(({ edges: { length } }) => {
        if (index > length) index -= length;
        else return true;
        return false;
      });
      page.insert(index, edge);
    }
    this.#changed();
    return place >= 0 && place <= edges.length ? this.#start + place : undefined;
  }

  /** Where an edge belongs in the window; before it -1, behind it more than its length. */
  #place(edges, edge, previous) {
    if (previous === null && !this.#hasPrevious) return 0;
    const after = previous ? edges.findIndex(({ cursor }) => cursor === previous) : -1;
    if (after >= 0) return after + 1;
    const next = edges.findIndex(({ node }) => isBefore(this.#list.orderBy, edge.node, node));
    if (next === 0 && this.#hasPrevious) return -1;
    if (next === -1) return this.#hasNext ? edges.length + 1 : edges.length;
    return next;
  }

  get #edges() {
    return this.#pages.flatMap(({ edges }) => edges);
  }

  get #end() {
    return this.#start + this.#pages.reduce((sum, { edges }) => sum + edges.length, 0);
  }

  get #hasPrevious() {
    return this.#pages[0]?.connection.pageInfo.hasPreviousPage ?? false;
  }

  get #hasNext() {
    return this.#pages.at(-1)?.connection.pageInfo.hasNextPage ?? false;
  }

  /** The page around a rating, and the positions of both. */
  async #around(id, signal) {
    const position = ask(POSITION, { id, ...this.#list }, signal);
    const [{ data }, page] = await Promise.all([position, this.#page({ first: SIZE + 1, around: id }, signal)]);
    const { page: number } = data.ratings.pageCursors.around.find(({ isCurrent }) => isCurrent);
    // Beyond the objects that the server counts there is no number.
    const index = (number ?? 1) - 1;
    return { page, index, start: index - page.edges.findIndex(({ node }) => node.id === id) };
  }

  #edgeAt(index) {
    return this.#edges[index - this.#start];
  }

  #page(place, signal) {
    return open({ ...this.#list, ...place }, signal, () => this.#changed());
  }

  /** Goes to a row of the window. */
  #aim(index, align) {
    this.#target = { index, align, stamp: this.#target.stamp + 1 };
    this.#changed();
  }

  /** Reads the page at which the scroll bar stands. */
  #leap(number) {
    const start = (number - 1) * SIZE;
    this.#open(async (signal) => {
      const page = await this.#page({ first: SIZE, offset: start }, signal);
      return { page, start, way: { kind: "number", skipped: start }, target: undefined };
    });
  }

  /** Replaces the window. */
  async #open(read, aimed) {
    this.#stop();
    const { signal } = this.#abort;
    this.#problem = undefined;
    if (!this.#opened && this.#total === undefined) this.count();
    this.#changed();
    try {
      const { page, start, way, ...then } = await read(signal);
      if (signal.aborted) {
        page.release();
        return;
      }
      this.#release();
      this.#pages = [page];
      this.#start = start;
      this.#shift += then.shift ?? 0;
      this.#reach = 0;
      this.#opened = true;
      this.#failures = 0;
      this.#note(page, start, way);
      if (then.place) this.#look(then.place, signal);
      const target = "target" in then ? then.target : { index: aimed };
      if (target) {
        this.#target = { ...target, stamp: this.#target.stamp + 1 };
        this.#view = { first: target.index, last: target.index + SIZE };
      }
      this.#settle();
      this.#changed();
      this.show(this.#view.first, this.#view.last);
    } catch (error) {
      if (!signal.aborted) this.#failed(error, () => this.#open(read, aimed));
    }
  }

  /** Reads the page after the window, or before it. */
  async #extend(side) {
    if (this.#loading.has(side)) return;
    this.#loading.add(side);
    const { signal } = this.#abort;
    const cursor = (side === "after" ? this.#edges.at(-1) : this.#edges[0])?.cursor;
    const place = side === "after" ? { first: SIZE, after: cursor } : { last: SIZE, before: cursor };
    try {
      const page = await this.#page(place, signal);
      if (signal.aborted) {
        page.release();
        return;
      }
      this.#failures = 0;
      if (side === "after") {
        this.#note(page, this.#end, { kind: "cursor" });
        this.#pages = [...this.#pages, page];
      } else {
        this.#start -= page.edges.length;
        this.#note(page, this.#start, { kind: "cursor" });
        this.#pages = [page, ...this.#pages];
      }
      this.#trim(side);
      this.#settle();
      this.#loading.delete(side);
      this.#changed();
      this.show(this.#view.first, this.#view.last);
    } catch (error) {
      this.#loading.delete(side);
      if (!signal.aborted) {
        this.#failed(error, () => {
          this.#problem = undefined;
          this.#changed();
          this.show(this.#view.first, this.#view.last);
        });
      }
    }
  }

  /** Releases pages that are far from view, at the end that was not extended. */
  #trim(side) {
    this.#reach = Math.max(this.#reach, this.#end);
    const far = (first, last) => last < this.#view.first - KEPT || first > this.#view.last + KEPT;
    while (this.#pages.length > 1) {
      const page = side === "after" ? this.#pages[0] : this.#pages.at(-1);
      const { length } = page.edges;
      if (side === "after" ? !far(this.#start, this.#start + length) : !far(this.#end - length, this.#end)) return;
      this.#pages = side === "after" ? this.#pages.slice(1) : this.#pages.slice(0, -1);
      if (side === "after") this.#start += length;
      page.release();
    }
  }

  /** Others add and delete meanwhile: the flags are exact, and the positions follow them. */
  #settle() {
    const before = this.#hasPrevious ? Math.max(1, this.#start) : 0;
    this.#shift += before - this.#start;
    this.#start = before;
  }

  #failed(error, retry) {
    clearTimeout(this.#retry);
    const again = () => {
      clearTimeout(this.#retry);
      retry();
    };
    this.#problem = { error, retry: again };
    if (error.passes) {
      const pause = error.pause ?? PAUSES[Math.min(this.#failures, PAUSES.length - 1)];
      this.#failures += 1;
      this.#retry = setTimeout(again, pause);
    }
    this.#changed();
  }

  #note({ cost, edges: { length } }, start, way) {
    if (!cost) return;
    this.#costId += 1;
    this.#costs = [{ id: this.#costId, start, length, ...way, ...cost }, ...this.#costs].slice(0, COSTS);
  }

  #stop() {
    this.#abort.abort();
    this.#abort = new AbortController();
    this.#loading.clear();
    clearTimeout(this.#retry);
    clearTimeout(this.#jump);
    this.#jump = undefined;
  }

  #release() {
    this.#pages.forEach((page) => page.release());
    this.#pages = [];
  }

  #changed() {
    const [end, hasNext] = [this.#end, this.#hasNext];
    const exact = this.#total?.relation === "EXACT" ? this.#total.value : 0;
    this.#snapshot = {
      start: this.#start,
      edges: this.#edges,
      hasPrevious: this.#hasPrevious,
      hasNext,
      // How far one can scroll: to the end where it is known, else a page further than anyone has looked.
      extent: hasNext ? Math.max(exact, this.#reach, end + SIZE) : end,
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
