import * as library from "@testing-library/react";
import { Provider, gql } from "urql";
import * as vitest from "vitest";

import { contract } from "../../contract.js";
import * as server from "../../server.js";
import { BookRatings } from "./BookRatings.jsx";
import { RatingList } from "./RatingList.jsx";
import { createClient } from "./client.js";

const { expect, test, vi } = vitest;

contract({ ...vitest, library }, (server) => {
  const { client, socket } = createClient(server);
  const show = (children) => library.render(<Provider value={client}>{children}</Provider>);
  return {
    showList: () => show(<RatingList />),
    // In another cache: pages of one list are joined.
    showEnd() {
      const { client } = createClient({ ...server, onReconnect: () => {} });
      library.render(<Provider value={client}><RatingList start={{ last: 100 }} /></Provider>);
    },
    showBook: (id, reconnected) => show(<BookRatings id={id} reconnected={reconnected} />),
    end: () => socket.dispose(),
  };
});

test("every type of a list has a key or is known to have none", async () => {
  const warn = vi.spyOn(console, "warn");
  const { client } = createClient({ ...server, socketUrl: server.url });
  const { error } = await client.query(gql`{
    ratings(first: 10, offset: 80) {
      edges { cursor node { id book { id } } }
      nodes { id }
      approximateCount { value relation }
      pageCursors { first { page cursor } around { page cursor isCurrent } last { page cursor } }
      pageInfo { hasNextPage }
    }
  }`, {});
  expect(error).toBeUndefined();
  expect(warn).not.toHaveBeenCalled();
});
