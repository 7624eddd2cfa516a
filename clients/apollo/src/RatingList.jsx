import { gql } from "@apollo/client";
import { useMutation, useQuery } from "@apollo/client/react";

const RATINGS = gql`
  query Ratings($first: Int, $after: String, $last: Int, $before: String) {
    ratings(first: $first, after: $after, last: $last, before: $before, orderBy: { field: RATING, direction: DESC }) {
      edges { cursor node { id rating } }
      pageInfo { hasPreviousPage hasNextPage startCursor endCursor }
    }
  }
`;

const RATE = gql`
  mutation RateInPlace($input: RateBookInput!) {
    rateBook(input: $input) {
      ratingEdge { cursor node { id rating } }
      previousEdgeCursor
    }
  }
`;

/** All ratings, the highest first, from a place of the list on in both directions. */
export function RatingList({ after }) {
  // docs:start page
  const { data, fetchMore } = useQuery(RATINGS, { variables: { first: 100, after } });
  const page = data?.ratings?.pageInfo;
  const loadNext = () => fetchMore({ variables: { first: 100, after: page.endCursor } });
  // A variable that is left out keeps its value: `first` with `last` is an error.
  const loadPrevious = () =>
    fetchMore({ variables: { last: 100, before: page.startCursor, first: null, after: null } });
  // docs:end
  // docs:start in-place
  const [rate] = useMutation(RATE, {
    update(cache, { data }) {
      const { ratingEdge, previousEdgeCursor } = data.rateBook;
      cache.modify({
        fields: {
          ratings(list, { storeFieldName, toReference }) {
            if (!storeFieldName.includes('"field":"RATING"')) return list;
            const at = list.edges.findIndex(({ cursor }) => cursor === previousEdgeCursor) + 1;
            // A place that is not loaded comes with its page.
            if (at === 0 && previousEdgeCursor !== null) return list;
            const edge = { ...ratingEdge, node: toReference(ratingEdge.node, true) };
            return { ...list, edges: [...list.edges.slice(0, at), edge, ...list.edges.slice(at)] };
          },
        },
      });
    },
  });
  // docs:end
  if (data === undefined) return <p>Loading</p>;
  return (
    <>
      <button disabled={!page.hasPreviousPage} onClick={loadPrevious}>Previous</button>
      <ol>{data.ratings.edges.map(({ node }) => <li key={node.id} id={node.id}>{node.rating}</li>)}</ol>
      <button disabled={!page.hasNextPage} onClick={loadNext}>Next</button>
      <form onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const input = { bookId: form.get("book"), rating: Number(form.get("stars")) };
        rate({ variables: { input: { ...input, orderBy: [{ field: "RATING", direction: "DESC" }] } } });
      }}>
        <input name="book" aria-label="Book" />
        <input name="stars" aria-label="Stars" />
        <button>Rate</button>
      </form>
    </>
  );
}
