import { expect, test } from "vitest";

import { ask, post } from "../server.js";

// docs:start page
test("the first page of ratings", async () => {
  expect(await ask(`{
    ratings(first: 2, asOf: "2023-01-01T00:00:00Z", orderBy: { field: RATING, direction: DESC }) {
      edges { cursor node { id rating createdAt book { name year } } }
      pageInfo { hasPreviousPage hasNextPage endCursor }
    }
  }`)).toMatchSnapshot();
});
// docs:end

// docs:start mutation
test("a new rating and its place", async () => {
  const { books } = await ask(`{ books(first: 1) { nodes { id name } } }`);
  const { rateBook } = await ask(
    `mutation ($bookId: ID!) {
      rateBook(input: { bookId: $bookId, rating: 5 }) { ratingEdge { cursor node { id rating createdAt book { name } } } }
    }`,
    { bookId: books.nodes[0].id },
  );
  // Keys and times are new in each run; a matcher stands for each of them.
  expect(rateBook.ratingEdge).toMatchSnapshot({
    cursor: expect.stringMatching(/^[\w-]{27}$/),
    node: { id: expect.stringMatching(/^[\w-]{23}$/), createdAt: expect.stringMatching(/Z$/) },
  });
});
// docs:end

test("the errors of an input", async () => {
  const mutation = `mutation { addBook(input: { name: "", year: 10000 }) { bookEdge { cursor } } }`;
  // Codes and fields are stable; messages are not.
  const { errors } = await post(mutation);
  expect(errors.map(({ extensions }) => extensions)).toMatchSnapshot();
});
