import { graphql, useMutation, usePaginationFragment } from "react-relay";
import { ConnectionHandler } from "relay-runtime";

import type { RatingListQuery } from "./__generated__/RatingListQuery.graphql";
import type { RatingListRateMutation } from "./__generated__/RatingListRateMutation.graphql";
import type { RatingList_query$key } from "./__generated__/RatingList_query.graphql";

/** All ratings, the highest first, from a place of the list on in both directions. */
export function RatingList({ query }: { query: RatingList_query$key }) {
  // docs:start page
  const { data, loadPrevious, hasPrevious, loadNext, hasNext } =
    usePaginationFragment<RatingListQuery, RatingList_query$key>(
      graphql`
        fragment RatingList_query on Query
        @refetchable(queryName: "RatingListQuery")
        @argumentDefinitions(first: { type: "Int" }, after: { type: "String" }, last: { type: "Int" }, before: { type: "String" })
        @throwOnFieldError {
          ratings(first: $first, after: $after, last: $last, before: $before, orderBy: { field: RATING, direction: DESC })
            @connection(key: "RatingList_ratings") {
            __id
            edges { node { id rating } }
          }
        }
      `,
      query,
    );
  // docs:end
  const [rate] = useMutation<RatingListRateMutation>(graphql`
    mutation RatingListRateMutation($input: RateBookInput!) {
      rateBook(input: $input) {
        ratingEdge { cursor node { id rating } }
        previousEdgeCursor
      }
    }
  `);
  // docs:start in-place
  const rateInPlace = (bookId: string, rating: number) =>
    rate({
      variables: { input: { bookId, rating, orderBy: [{ field: "RATING", direction: "DESC" }] } },
      updater: (store) => {
        const list = store.get(data.ratings!.__id)!;
        const payload = store.getRootField("rateBook")!;
        const edge = ConnectionHandler.buildConnectionEdge(store, list, payload.getLinkedRecord("ratingEdge"))!;
        const previous = payload.getValue("previousEdgeCursor");
        const cursors = list.getLinkedRecords("edges")!.map((loaded) => loaded.getValue("cursor"));
        // A place that is not loaded comes with its page.
        if (previous == null) ConnectionHandler.insertEdgeBefore(list, edge);
        else if (cursors.includes(previous)) ConnectionHandler.insertEdgeAfter(list, edge, previous as string);
      },
    });
  // docs:end
  return (
    <>
      <button disabled={!hasPrevious} onClick={() => loadPrevious(100)}>Previous</button>
      <ol>{data.ratings!.edges.map(({ node }) => <li key={node.id} id={node.id}>{node.rating}</li>)}</ol>
      <button disabled={!hasNext} onClick={() => loadNext(100)}>Next</button>
      <form onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        rateInPlace(form.get("book") as string, Number(form.get("stars")));
      }}>
        <input name="book" aria-label="Book" />
        <input name="stars" aria-label="Stars" />
        <button>Rate</button>
      </form>
    </>
  );
}
