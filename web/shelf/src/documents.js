// What the list asks of the server. A row reads its own fields: see Row.jsx.
import { graphql } from "relay-runtime";

export const PAGE = graphql`
  query documentsPageQuery(
    $first: Int
    $last: Int
    $after: String
    $before: String
    $offset: Int
    $around: ID
    $orderBy: [RatingSort!]
    $where: RatingFilter
    $search: String
    $counted: Boolean!
  ) {
    ratings(
      first: $first
      last: $last
      after: $after
      before: $before
      offset: $offset
      around: $around
      orderBy: $orderBy
      where: $where
      search: $search
    ) {
      __id
      edges {
        cursor
        node {
          id
          uuid
          rating
          ...Row_rating
        }
      }
      pageInfo {
        hasPreviousPage
        hasNextPage
      }
      totalCount @include(if: $counted)
    }
  }
`;

/** The pages around a page, and the last one: where to open them, without skipping anything. */
export const CURSORS = graphql`
  query documentsCursorsQuery($first: Int, $after: String, $offset: Int, $orderBy: [RatingSort!]) {
    ratings(first: $first, after: $after, offset: $offset, orderBy: $orderBy) {
      pageCursors {
        around {
          page
          cursor
        }
        last {
          page
          cursor
        }
      }
    }
  }
`;

/** In pages of one object, the number of the page is the position of the object. */
export const POSITION = graphql`
  query documentsPositionQuery($id: ID!, $orderBy: [RatingSort!], $where: RatingFilter, $search: String) {
    ratings(first: 1, around: $id, orderBy: $orderBy, where: $where, search: $search) {
      pageCursors {
        around {
          page
          isCurrent
        }
      }
    }
  }
`;

export const COUNT = graphql`
  query documentsCountQuery($where: RatingFilter, $search: String, $exactly: Boolean!) {
    ratings(where: $where, search: $search) {
      approximateCount(upTo: 1000) @skip(if: $exactly) {
        value
        relation
      }
      totalCount @include(if: $exactly)
    }
  }
`;

export const ADDED = graphql`
  subscription documentsAddedSubscription($orderBy: [RatingSort!]) {
    ratingAdded(orderBy: $orderBy) {
      cursor
      node {
        id
        uuid
        rating
        ...Row_rating
      }
    }
  }
`;

export const RATE = graphql`
  mutation documentsRateMutation($input: RateBookInput!) {
    rateBook(input: $input) {
      ratingEdge {
        cursor
        node {
          id
          uuid
          rating
          ...Row_rating
        }
      }
      previousEdgeCursor
      book {
        averageRating
        ratingCount
      }
    }
  }
`;
