import { graphql, useFragment, useLazyLoadQuery } from "react-relay";

import type { RatingCardQuery } from "./__generated__/RatingCardQuery.graphql";
import type { RatingCard_rating$key } from "./__generated__/RatingCard_rating.graphql";

/** An object by its id. */
export function RatingCard({ id }: { id: string }) {
  // docs:start node
  const data = useLazyLoadQuery<RatingCardQuery>(
    graphql`
      query RatingCardQuery($id: ID!) {
        node(id: $id) { ...RatingCard_rating @alias(as: "rating") }
      }
    `,
    { id },
  );
  return data.node?.rating ? <Stars rating={data.node.rating} /> : <p>It is gone.</p>;
  // docs:end
}

function Stars({ rating }: { rating: RatingCard_rating$key }) {
  const data = useFragment(graphql`fragment RatingCard_rating on Rating { id rating book { name } }`, rating);
  return <p id={data.id}>{data.rating}: {data.book.name}</p>;
}
