import { graphql } from "relay-runtime";

graphql`
  query listsThrowingQuery @throwOnFieldError {
    books(first: 1) { nodes { ratings(first: 1) { nodes { rating } } orders(first: 1) { nodes { totalPrice } } } }
  }
`;

graphql`
  query listsPlainQuery {
    books(first: 1) { nodes { name } }
  }
`;
