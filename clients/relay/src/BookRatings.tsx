import { useEffect, useMemo } from "react";
import { graphql, useMutation, usePaginationFragment, useSubscription } from "react-relay";

import type { BookRatingsAddedSubscription } from "./__generated__/BookRatingsAddedSubscription.graphql";
import type { BookRatingsDeleteMutation } from "./__generated__/BookRatingsDeleteMutation.graphql";
import type { BookRatingsListQuery } from "./__generated__/BookRatingsListQuery.graphql";
import type { BookRatingsRateMutation } from "./__generated__/BookRatingsRateMutation.graphql";
import type { BookRatings_book$key } from "./__generated__/BookRatings_book.graphql";

/** The ratings of one book, the newest first, live. `reconnected` calls its argument after each reconnect. */
export function BookRatings({ book, reconnected }: {
  book: BookRatings_book$key;
  reconnected: (refetch: () => void) => () => void;
}) {
  const { data, loadNext, hasNext, refetch } = usePaginationFragment<BookRatingsListQuery, BookRatings_book$key>(
    graphql`
      fragment BookRatings_book on Book
      @refetchable(queryName: "BookRatingsListQuery")
      @argumentDefinitions(first: { type: "Int", defaultValue: 20 }, after: { type: "String" })
      @throwOnFieldError {
        id
        averageRating
        ratings(first: $first, after: $after, orderBy: { field: CREATED_AT, direction: DESC })
          @connection(key: "BookRatings_ratings") {
          __id
          edges { node { id rating } }
        }
      }
    `,
    book,
  );
  const list = data.ratings!.__id;
  // docs:start edges
  const [rate] = useMutation<BookRatingsRateMutation>(graphql`
    mutation BookRatingsRateMutation($input: RateBookInput!, $lists: [ID!]!) {
      rateBook(input: $input) {
        ratingEdge @prependEdge(connections: $lists) { cursor node { id rating } }
        book { id averageRating }
      }
    }
  `);
  const [remove] = useMutation<BookRatingsDeleteMutation>(graphql`
    mutation BookRatingsDeleteMutation($input: DeleteRatingInput!, $lists: [ID!]!) {
      deleteRating(input: $input) {
        deletedId @deleteEdge(connections: $lists)
        book { id averageRating }
      }
    }
  `);
  // docs:end
  // docs:start subscription
  useSubscription<BookRatingsAddedSubscription>(useMemo(() => ({
    subscription: graphql`
      subscription BookRatingsAddedSubscription($bookId: ID!, $lists: [ID!]!) {
        ratingAdded(bookId: $bookId, orderBy: { field: CREATED_AT, direction: DESC })
          @prependEdge(connections: $lists) { cursor node { id rating } }
      }
    `,
    variables: { bookId: data.id, lists: [list] },
  }), [data.id, list]));
  useEffect(() => reconnected(() => refetch({}, { fetchPolicy: "network-only" })), [reconnected, refetch]);
  // docs:end
  return (
    <>
      <output>{data.averageRating ?? "none"}</output>
      <button onClick={() => rate({ variables: { input: { bookId: data.id, rating: 5 }, lists: [list] } })}>Rate</button>
      <ol>
        {data.ratings!.edges.map(({ node }) => (
          <li key={node.id} id={node.id}>
            {node.rating}
            <button onClick={() => remove({ variables: { input: { id: node.id }, lists: [list] } })}>Delete</button>
          </li>
        ))}
      </ol>
      <button disabled={!hasNext} onClick={() => loadNext(20)}>Next</button>
    </>
  );
}
