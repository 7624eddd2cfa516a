import { useState } from "react";
import { gql, useMutation, useQuery } from "urql";

const RATINGS = gql`
  query Ratings($first: Int, $after: String, $last: Int, $before: String, $orderBy: [RatingSort!]) {
    ratings(first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy) {
      edges { cursor node { id rating } }
      pageInfo { hasPreviousPage hasNextPage startCursor endCursor }
    }
  }
`;

const RATE = gql`
  mutation Rate($input: RateBookInput!) {
    rateBook(input: $input) {
      ratingEdge { cursor node { id rating } }
      previousEdgeCursor
    }
  }
`;

const orderBy = [{ field: "RATING", direction: "DESC" }];

/** All ratings, the highest first, from the first page or from the last one. */
export function RatingList({ start = { first: 100 } }) {
  // docs:start page
  const [page, setPage] = useState(start);
  const [{ data, fetching }] = useQuery({ query: RATINGS, variables: { ...page, orderBy } });
  const around = data?.ratings?.pageInfo;
  // The cache joins the pages: `data` has all that are loaded.
  const loadNext = () => setPage({ first: 100, after: around.endCursor });
  const loadPrevious = () => setPage({ last: 100, before: around.startCursor });
  // docs:end
  const [, rate] = useMutation(RATE);
  if (data === undefined) return <p>Loading</p>;
  return (
    <>
      <button disabled={fetching || !around.hasPreviousPage} onClick={loadPrevious}>Previous</button>
      <ol>{data.ratings.edges.map(({ node }) => <li key={node.id} id={node.id}>{node.rating}</li>)}</ol>
      <button disabled={fetching || !around.hasNextPage} onClick={loadNext}>Next</button>
      <form onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        rate({ input: { bookId: form.get("book"), rating: Number(form.get("stars")), orderBy } });
      }}>
        <input name="book" aria-label="Book" />
        <input name="stars" aria-label="Stars" />
        <button>Rate</button>
      </form>
    </>
  );
}
