import { useEffect, useState } from "react";
import { gql, useClient, useMutation, useQuery, useSubscription } from "urql";

const BOOK = gql`
  query BookRatings($id: ID!, $after: String, $orderBy: [RatingSort!]) {
    node(id: $id) {
      ... on Book {
        id
        averageRating
        ratings(first: 20, after: $after, orderBy: $orderBy) {
          edges { cursor node { id rating } }
          pageInfo { hasPreviousPage hasNextPage startCursor endCursor }
        }
      }
    }
  }
`;

const RATE = gql`
  mutation RateInBook($input: RateBookInput!) {
    rateBook(input: $input) {
      ratingEdge { cursor node { id rating } }
      previousEdgeCursorOfBook
      book { id averageRating }
    }
  }
`;

const DELETE = gql`
  mutation Delete($id: ID!) {
    deleteRating(input: { id: $id }) { deletedId book { id averageRating } }
  }
`;

const ADDED = gql`
  subscription Added($bookId: ID!, $orderBy: [RatingSort!]) {
    ratingAdded(bookId: $bookId, orderBy: $orderBy) { cursor node { id rating } }
  }
`;

const orderBy = [{ field: "CREATED_AT", direction: "DESC" }];

/** The ratings of one book, the newest first, live. `reconnected` calls its argument after each reconnect. */
export function BookRatings({ id, reconnected }) {
  const client = useClient();
  const [after, setAfter] = useState();
  const [{ data, fetching }] = useQuery({ query: BOOK, variables: { id, after, orderBy } });
  const [, rate] = useMutation(RATE);
  const [, remove] = useMutation(DELETE);
  // docs:start subscription
  useSubscription({ query: ADDED, variables: { bookId: id, orderBy } });
  useEffect(
    () => reconnected(() => client.query(BOOK, { id, orderBy }, { requestPolicy: "network-only" }).toPromise()),
    [client, id, reconnected],
  );
  // docs:end
  if (data === undefined) return <p>Loading</p>;
  if (data.node === null) return <p>It is gone.</p>;
  const { averageRating, ratings } = data.node;
  return (
    <>
      <output>{averageRating ?? "none"}</output>
      <button onClick={() => rate({ input: { bookId: id, rating: 5, orderBy } })}>Rate</button>
      <ol>
        {ratings.edges.map(({ node }) => (
          <li key={node.id} id={node.id}>
            {node.rating}
            <button onClick={() => remove({ id: node.id })}>Delete</button>
          </li>
        ))}
      </ol>
      <button disabled={fetching || !ratings.pageInfo.hasNextPage} onClick={() => setAfter(ratings.pageInfo.endCursor)}>
        Next
      </button>
    </>
  );
}
