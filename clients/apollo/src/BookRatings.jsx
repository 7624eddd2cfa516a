import { useEffect } from "react";
import { gql } from "@apollo/client";
import { useMutation, useQuery, useSubscription } from "@apollo/client/react";

const BOOK = gql`
  query BookRatings($id: ID!, $after: String) {
    node(id: $id) {
      ... on Book {
        id
        averageRating
        ratings(first: 20, after: $after, orderBy: { field: CREATED_AT, direction: DESC }) {
          edges { cursor node { id rating } }
          pageInfo { hasNextPage endCursor }
        }
      }
    }
  }
`;

const RATE = gql`
  mutation Rate($input: RateBookInput!) {
    rateBook(input: $input) {
      ratingEdge { cursor node { id rating } }
      book { id averageRating }
    }
  }
`;

// docs:start delete
const DELETE = gql`
  mutation Delete($id: ID!) {
    deleteRating(input: { id: $id }) { deletedId book { id averageRating } }
  }
`;

function useDelete() {
  return useMutation(DELETE, {
    update(cache, { data }) {
      cache.evict({ id: cache.identify({ __typename: "Rating", id: data.deleteRating.deletedId }) });
    },
  });
}
// docs:end

// docs:start subscription
const ADDED = gql`
  subscription Added($bookId: ID!) {
    ratingAdded(bookId: $bookId, orderBy: { field: CREATED_AT, direction: DESC }) { cursor node { id rating } }
  }
`;

/** Puts an edge before the others. The subscriber and the one who rates both do: the edge comes once. */
function prepend(cache, bookId, edge) {
  cache.modify({
    id: cache.identify({ __typename: "Book", id: bookId }),
    fields: {
      ratings(list, { toReference, readField }) {
        const isThere = list.edges.some(({ node }) => readField("id", node) === edge.node.id);
        return isThere ? list : { ...list, edges: [{ ...edge, node: toReference(edge.node, true) }, ...list.edges] };
      },
    },
  });
}
// docs:end

/** The ratings of one book, the newest first, live. `reconnected` calls its argument after each reconnect. */
export function BookRatings({ id, reconnected }) {
  const { data, fetchMore, refetch } = useQuery(BOOK, { variables: { id } });
  const [rate] = useMutation(RATE, { update: (cache, { data }) => prepend(cache, id, data.rateBook.ratingEdge) });
  const [remove] = useDelete();
  useSubscription(ADDED, {
    variables: { bookId: id },
    onData: ({ client, data }) => prepend(client.cache, id, data.data.ratingAdded),
  });
  useEffect(() => reconnected(() => refetch()), [reconnected, refetch]);
  if (data === undefined) return <p>Loading</p>;
  if (data.node === null) return <p>It is gone.</p>;
  const { averageRating, ratings } = data.node;
  return (
    <>
      <output>{averageRating ?? "none"}</output>
      <button onClick={() => rate({ variables: { input: { bookId: id, rating: 5 } } })}>Rate</button>
      <ol>
        {ratings.edges.map(({ node }) => (
          <li key={node.id} id={node.id}>
            {node.rating}
            <button onClick={() => remove({ variables: { id: node.id } })}>Delete</button>
          </li>
        ))}
      </ol>
      <button
        disabled={!ratings.pageInfo.hasNextPage}
        onClick={() => fetchMore({ variables: { after: ratings.pageInfo.endCursor } })}
      >
        Next
      </button>
    </>
  );
}
