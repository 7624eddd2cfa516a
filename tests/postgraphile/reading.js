// What a server answers, what SQL says it should be, and how the two differ.
import { performance } from "node:perf_hooks";

const camel = (name) => name.replaceAll(/_(\w)/g, (_, letter) => letter.toUpperCase());
// Both servers call a column `id` so: `id` is the global id.
const field = (column) => camel(column === "id" ? "row_id" : column);
const value = (column) => (column === "id" ? "ROW_ID" : column.toUpperCase());
// A value of a condition: as GraphQL has it, and SQL where that is different.
const inGraphql = (is) => (Array.isArray(is) ? is[0] : is);
const inSql = (is) => (Array.isArray(is) ? is[1] : String(is).replace(/^"(.*)"$/, "'$1'"));

/** One value for all ways to write it: numbers as text or not, times with or without zeros, names of enum values. */
function plain(value) {
  if (Array.isArray(value)) return value.map(plain);
  if (value !== null && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]));
  }
  if (typeof value === "number") return String(value);
  if (typeof value !== "string") return value;
  // PostgreSQL pads `character(20)`, but the blanks have no meaning: Bookends leaves them out.
  if (/ {6}$/.test(value)) return value.trimEnd();
  if (/^-?\d{1,15}(\.\d+)?$/.test(value)) return String(Number(value));
  if (/^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/.test(value)) {
    return value.replace(" ", "T").replace(/(Z|\+00:00)$/, "").replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
  }
  return /^(PG|NC)-1\d$/.test(value) ? value.replace("-", "_") : value;
}

/** The paths at which two values differ. */
function differences(actual, expected, path = "") {
  if (actual === null || expected === null || typeof actual !== "object" || typeof expected !== "object") {
    return actual === expected ? [] : [path];
  }
  const keys = new Set([...Object.keys(actual), ...Object.keys(expected)]);
  return [...keys].flatMap((key) => differences(actual[key], expected[key], `${path}.${key}`));
}

const isFlag = (path) => /\.has(Next|Previous)Page$/.test(path);

/** How both servers fare with one kind of query. */
export class Kind {
  queries = 0;
  postgraphile = { rows: 0, flags: 0, times: [] };
  bookends = { rows: 0, flags: 0, times: [] };

  constructor(database, name) {
    Object.assign(this, { database, name });
  }

  /** Asks one server, and compares with what is expected. */
  async ask(server, query, variables, expected) {
    const from = performance.now();
    const answer = await this.database[server](query, variables);
    this[server].times.push(performance.now() - from);
    const data = plain(answer);
    const found = differences(answered(data, expected), plain(expected));
    const what = found.some((path) => !isFlag(path)) ? "rows" : "flags";
    if (found.length > 0) {
      this[server][what] += 1;
      this[server].examples ??= {};
      this[server].examples[what] ??=
        `${query.replace(/^query .*?\) /, "").replaceAll(/\s+/g, " ")} ${JSON.stringify(variables)} at ${found.slice(0, 3).join(" ")}`;
    }
    return data;
  }

  /** Asks both for what a statement returns as JSON. Aliases give their answers one shape. */
  async both(postgraphile, bookends, sql, variables = {}) {
    const expected = this.database.json(sql);
    this.queries += 1;
    await this.ask("postgraphile", postgraphile, variables, expected);
    await this.ask("bookends", bookends, variables, expected);
  }

  /**
   * Walks over a list, or over `pages` of it from the position `from`, which is before the end if it is negative. It goes
   * from the front by `first` and `after`, from the back by `last` and `before`, past the ends, and between two cursors.
   * `order` is that of SQL, with the NULLs where PostgreSQL has them.
   */
  async walk({ list, table, fields, order, where = {}, size = 100, from = 0, pages = 1e9, byDefault = false, isBackToo = true }) {
    const conditions = Object.entries(where);
    const filter = ["true", ...conditions.map(([column, is]) => `${column} ${is === null ? "IS NULL" : `= ${inSql(is)}`}`)].join(" AND ");
    const columns = fields.map((column) => `${column} AS "${field(column)}"`).join();
    const offset = from < 0 ? `(SELECT count(*) + ${from} FROM ${table} WHERE ${filter})` : from;
    const { total, nodes } = this.database.json(`SELECT json_build_object(
      'total', (SELECT count(*) FROM ${table} WHERE ${filter}),
      'nodes', (SELECT coalesce(json_agg(row), '[]') FROM (SELECT ${columns} FROM ${table} WHERE ${filter}
        ORDER BY ${order.join()} LIMIT ${from < 0 ? -from : size * pages} OFFSET ${offset}) row))`);
    const start = from < 0 ? total + from : from;
    const end = start + nodes.length;
    const sorts = order.map((criterion) => criterion.split(" "));
    const selection = `nodes { ${fields.map(field).join(" ")} } pageInfo { hasPreviousPage hasNextPage startCursor endCursor }`;
    const page = "first: $first, last: $last, offset: $offset, after: $after, before: $before";
    const variables = (cursor) => `$first: Int, $last: Int, $offset: Int, $after: ${cursor}, $before: ${cursor}`;
    const by = sorts.map(([column, direction = "asc"]) => `${value(column)}_${direction.toUpperCase()}`);
    const condition = conditions.map(([column, is]) => `${field(column)}: ${inGraphql(is)}`);
    const sort = sorts.map(([column, direction = "asc"]) =>
      `{field: ${value(column)}, direction: ${direction.toUpperCase()}, nulls: ${direction === "desc" ? "FIRST" : "LAST"}}`);
    const filters = conditions.map(([column, is]) => `${field(column)}: {${is === null ? "isNull: true" : `eq: ${inGraphql(is)}`}}`);
    const queries = {
      postgraphile: `query (${variables("Cursor")}) { list: all${list[0].toUpperCase()}${list.slice(1)}(${page},
        ${byDefault ? "" : `orderBy: [${by}], `}condition: {${condition}}) { ${selection} } }`,
      bookends: `query (${variables("String")}) { list: ${list}(${page},
        ${byDefault ? "" : `orderBy: [${sort}], `}where: {${filters}}) { ${selection} } }`,
    };
    for (const [server, query] of Object.entries(queries)) {
      // Asks for the page from one position to another.
      const ask = async (variables, low, high, { hasPreviousPage = low > 0, hasNextPage = high < total } = {}) => {
        const rows = nodes.slice(low - start, high - start);
        const expected = { nodes: rows, pageInfo: { hasPreviousPage, hasNextPage } };
        if (server === "bookends") this.queries += 1;
        return (await this.ask(server, query, variables, expected)).list.pageInfo;
      };
      const cursors = [];
      // To the middle of a list leads an offset, and to its end `last`.
      let front = start;
      let after = from < 0 ? (await ask({ last: nodes.length }, front++, end)).startCursor : undefined;
      for (let low = front; low < end; low += size) {
        const position = after ? { after } : from > 0 ? { offset: from } : {};
        const info = await ask({ first: size, ...position }, low, Math.min(low + size, end));
        cursors.push(info);
        after = info.endCursor;
      }
      if (end === total && after) await ask({ first: size, after }, end, end, { hasPreviousPage: true, hasNextPage: false });
      // From the back: the last page has no cursor; that of a part ends before its last row.
      let high = end === total ? end : end - 1;
      let before = end === total ? undefined : after;
      while (isBackToo && high > start && (start === 0 || high - size >= start)) {
        const low = Math.max(high - size, 0);
        before = (await ask(before ? { last: size, before } : { last: size }, low, high)).startCursor;
        high = low;
      }
      if (isBackToo && high === 0 && before) await ask({ last: size, before }, 0, 0, { hasPreviousPage: false, hasNextPage: true });
      // After the first page and before the end of the second: `first` has a next page, and `last` a previous one, only if
      // it leaves out rows between the cursors.
      if (size > 3 && cursors.length > 1) {
        const [low, high] = [front + size, Math.min(front + 2 * size, end) - 1];
        const between = { after: cursors[0].endCursor, before: cursors[1].endCursor };
        const left = high - low > 2;
        await ask({ first: size, ...between }, low, high, { hasNextPage: false });
        await ask({ first: 2, ...between }, low, Math.min(low + 2, high), { hasNextPage: left });
        await ask({ last: size, ...between }, low, high, { hasPreviousPage: false });
        await ask({ last: 2, ...between }, Math.max(high - 2, low), high, { hasPreviousPage: left });
      }
    }
  }
}

/** An answer in the shape of what is expected: a page without its cursors, or one object from the list of it. */
function answered(data, expected) {
  if ("one" in expected && "list" in data) return { one: data.list.nodes[0] ?? null };
  if (!expected.pageInfo) return data;
  const { nodes, pageInfo: { hasPreviousPage, hasNextPage } } = data.list;
  return { nodes, pageInfo: { hasPreviousPage, hasNextPage } };
}
