// What each client that draws in React has to do, whatever library it uses. All of them draw the same page: a `li` for each
// rating, with its id, and the buttons Next, Previous, Rate and Delete.
import * as server from "./server.js";

const timeout = 30_000;
// What only the primary has.
const last = "FFFFFFFF/FFFFFFFF/FFFFFFFF";
const ids = (edges) => edges.map(({ node }) => node.id);

/**
 * The tests, with the libraries of a project. `start` makes a client from the addresses of the server and returns how it
 * draws the list of all ratings after a cursor, how the ratings of a book, and how it ends. A client whose lists do not begin in
 * the middle draws the end of the list instead.
 */
export function contract({ test, expect, afterEach, beforeEach, library }, start) {
  const { cleanup, fireEvent, screen, waitFor } = library;
  const reconnects = new Set();
  const reconnected = (refetch) => {
    reconnects.add(refetch);
    return () => { reconnects.delete(refetch); };
  };
  let way, client;
  const begin = () => {
    const onReconnect = () => { for (const refetch of reconnects) refetch(); };
    client = start({ url: server.url, socketUrl: way.url, authorization: server.authorization, onReconnect, reconnected });
  };
  beforeEach(async () => {
    way = await server.way();
    begin();
  });
  afterEach(async () => {
    cleanup();
    await client.end();
    way.close();
  });

  const shown = () => Array.from(document.querySelectorAll("li"), (row) => row.id);
  const button = (name) => screen.getByText(name);
  const mean = () => screen.getByRole("status").textContent;
  const rows = (expected) => waitFor(() => expect(shown()).toEqual(expected), { timeout });
  const count = (number) => waitFor(() => expect(shown()).toHaveLength(number), { timeout });

  /** Rates a book elsewhere until a page shows it: nobody is told when a subscription begins. */
  const hear = async (id) => {
    const before = shown().length;
    await waitFor(async () => {
      await server.rate(id, 5);
      expect(shown().length).toBeGreaterThan(before);
    }, { timeout, interval: 100 });
  };

  /** Opens one page after the other until this number of rows is shown. */
  async function open(name, number) {
    const list = document.querySelector("ol");
    const more = button(name);
    while (list.childElementCount < number) {
      const before = list.childElementCount;
      await waitFor(() => expect(more.disabled).toBe(false), { timeout });
      fireEvent.click(more);
      await waitFor(() => expect(list.childElementCount).toBeGreaterThan(before), { timeout });
    }
  }

  test("3,000 rows in each direction have no gap and no duplicate", async () => {
    if (client.showEnd === undefined) {
      const expected = await server.ratings(6_000);
      client.showList(expected[2_999].cursor);
      await count(100);
      await open("Next", 3_000);
      await open("Previous", 6_000);
      expect(shown()).toEqual(ids(expected));
      await waitFor(() => expect(button("Previous").disabled).toBe(true));
    } else {
      client.showList();
      await count(100);
      await open("Next", 3_000);
      expect(shown()).toEqual(ids(await server.ratings(3_000)));
      cleanup();
      client.showEnd();
      await count(100);
      await open("Previous", 3_000);
      expect(shown()).toEqual(ids(await server.ratings(3_000, "last")));
    }
  });

  test("the edge of a mutation comes to its place, and to none before its page is loaded", async () => {
    const { id } = await server.book();
    client.showList();
    await count(100);
    const rate = (stars) => {
      fireEvent.change(screen.getByLabelText("Book"), { target: { value: id } });
      fireEvent.change(screen.getByLabelText("Stars"), { target: { value: stars } });
      fireEvent.click(button("Rate"));
    };
    rate(4);
    await waitFor(async () => expect(await server.ratingsOf(id)).toHaveLength(1), { timeout });
    rate(5);
    await count(101);
    await rows(ids(await server.ratings(101)));
    await open("Next", 301);
    expect(shown()).toEqual(ids(await server.ratings(301)));
  });

  test("the edge of a mutation comes once, and goes with its rating", async () => {
    const { id, ratings: [first, second] } = await server.book(1, 3);
    client.showBook(id, reconnected);
    await rows([second, first]);
    expect(mean()).toBe("2");
    fireEvent.click(button("Rate"));
    await count(3);
    await rows(await server.ratingsOf(id));
    await waitFor(() => expect(mean()).toBe("3"));
    fireEvent.click(document.getElementById(first).querySelector("button"));
    await count(2);
    await rows(await server.ratingsOf(id));
    await waitFor(() => expect(mean()).toBe("4"));
  });

  test("what follows mutations sends the newest position, also if their responses cross", async () => {
    const { id, ratings } = await server.book(1, 2, 3, 4);
    client.showBook(id, reconnected);
    await rows([...ratings].reverse());
    // As a server with replicas responds, and as late as the test says.
    const requests = [];
    const { fetch } = globalThis;
    globalThis.fetch = async (url, options) => {
      const sent = new Headers(options.headers).get("GraphQL-Position");
      const response = await fetch(url, options);
      const text = await response.text();
      const position = await new Promise((answer) => requests.push({ sent, answer }));
      const headers = new Headers(response.headers);
      headers.set("GraphQL-Position", position);
      return new Response(text, { status: response.status, headers });
    };
    const taken = async (number) => {
      await waitFor(() => expect(requests).toHaveLength(number), { timeout });
      return requests.splice(0);
    };
    const answer = async (request, position) => {
      request.answer(position);
      // What waits for it goes on before the next timer.
      await new Promise((done) => setTimeout(done));
    };
    // It is sent after all others, so its position is the newest, however small: a primary may be restored from a backup.
    const rate = async () => {
      fireEvent.click(button("Rate"));
      const [request] = await taken(1);
      await answer(request, "1/0/1");
      return request.sent;
    };
    try {
      await rate();
      for (const [round, [first, second, newest]] of [
        ["1/10/0", "1/9/FFFFFFFF", "1/10/0"],
        ["1/9/FFFFFFFF", "1/10/0", "1/10/0"],
        ["1/10/10", "1/10/9", "1/10/10"],
        ["2/0/0", "1/FFFFFFFF/0", "2/0/0"],
      ].entries()) {
        fireEvent.click(button("Rate"));
        fireEvent.click(document.getElementById(ratings[round]).querySelector("button"));
        const crossing = await taken(2);
        expect(crossing.map(({ sent }) => sent)).toEqual(["1/0/1", "1/0/1"]);
        await answer(crossing[0], first);
        await answer(crossing[1], second);
        expect(await rate()).toBe(newest);
      }
    } finally {
      globalThis.fetch = fetch;
    }
    await count(9);
  });

  /** As with a server with replicas: `events()` is the position of an event, and `responses` that of a query at the last one. */
  const withPositions = async (events, responses, test) => {
    const { WebSocket, fetch } = globalThis;
    await client.end();
    globalThis.WebSocket = class extends WebSocket {
      set onmessage(receive) {
        super.onmessage = ({ data }) => {
          const message = JSON.parse(data);
          if (message.type === "next") message.payload.extensions = { position: events() };
          receive({ data: JSON.stringify(message) });
        };
      }
    };
    const sent = [];
    globalThis.fetch = async (url, options) => {
      const position = new Headers(options.headers).get("GraphQL-Position");
      sent.push(position);
      const response = await fetch(url, options);
      if (position !== last) return response;
      const headers = new Headers(response.headers);
      headers.set("GraphQL-Position", responses);
      return new Response(await response.text(), { status: response.status, headers });
    };
    try {
      begin();
      await test(sent);
    } finally {
      Object.assign(globalThis, { WebSocket, fetch });
    }
  };

  test("what follows an event sends its position", async () => {
    const { id } = await server.book(1);
    let position;
    await withPositions(() => position, "1/1F/0", async (sent) => {
      client.showBook(id, reconnected);
      await count(1);
      // The first one is that of a server that did not learn its position in time.
      for (position of [last, "1/20/0", "1/21/0"]) {
        await hear(id);
        // What it showed may be an earlier rating.
        await waitFor(() => {
          fireEvent.click(button("Rate"));
          expect(sent.at(-1)).toBe(position);
        }, { timeout, interval: 100 });
      }
    });
  });

  test("what follows a reconnect is read from the primary once", async () => {
    const { id } = await server.book(1);
    await withPositions(() => "1/30/0", "1/40/0", async (sent) => {
      client.showBook(id, reconnected);
      await count(1);
      await hear(id);
      way.interrupt();
      const missed = await server.rate(id, 2);
      sent.length = 0;
      way.restore();
      await waitFor(() => expect(shown()).toContain(missed), { timeout });
      expect(sent).toEqual([last]);
      fireEvent.click(button("Rate"));
      await waitFor(() => expect(sent).toEqual([last, "1/40/0"]), { timeout });
    });
  });

  test("the list of an object that `node` found continues, and shows an edge and a deletion on all its pages", async () => {
    const { id, ratings } = await server.book(...Array.from({ length: 45 }, (_, index) => 1 + (index % 5)));
    const expected = [...ratings].reverse();
    client.showBook(id, reconnected);
    await rows(expected.slice(0, 20));
    await open("Next", 45);
    await rows(expected);
    fireEvent.click(document.getElementById(expected[30]).querySelector("button"));
    await count(44);
    fireEvent.click(button("Rate"));
    await count(45);
    await rows(await server.ratingsOf(id));
  });

  test("a subscription continues after a reconnect, and the list has what was added in between", async () => {
    const { id } = await server.book();
    client.showBook(id, reconnected);
    await screen.findByText("none", {}, { timeout });
    await hear(id);
    way.interrupt();
    const missed = await server.rate(id, 1);
    expect(shown()).not.toContain(missed);
    way.restore();
    await waitFor(() => expect(shown()).toContain(missed), { timeout });
    await hear(id);
    expect(new Set(shown()).size).toBe(shown().length);
  });
}
