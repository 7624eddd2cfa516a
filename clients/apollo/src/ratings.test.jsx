import { ApolloProvider } from "@apollo/client/react";
import * as library from "@testing-library/react";
import * as vitest from "vitest";

import { contract } from "../../contract.js";
import { BookRatings } from "./BookRatings.jsx";
import { RatingList } from "./RatingList.jsx";
import { createApollo } from "./client.js";

contract({ ...vitest, library }, (server) => {
  const { client, socket } = createApollo(server);
  const show = (children) => library.render(<ApolloProvider client={client}>{children}</ApolloProvider>);
  return {
    showList: (after) => show(<RatingList after={after} />),
    showBook: (id, reconnected) => show(<BookRatings id={id} reconnected={reconnected} />),
    end: () => socket.dispose(),
  };
});
