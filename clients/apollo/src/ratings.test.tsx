import type { ReactNode } from "react";
import { ApolloProvider } from "@apollo/client/react";
import * as library from "@testing-library/react";
import * as vitest from "vitest";

import { contract } from "../../contract.js";
import { BookRatings } from "./BookRatings";
import { RatingList } from "./RatingList";
import { createApollo, type Server } from "./client";

contract({ ...vitest, library }, (server: Server) => {
  const { client, socket } = createApollo(server);
  const show = (children: ReactNode) => library.render(<ApolloProvider client={client}>{children}</ApolloProvider>);
  return {
    showList: (after?: string) => show(<RatingList after={after} />),
    showBook: (id: string, reconnected: (refetch: () => void) => () => void) =>
      show(<BookRatings id={id} reconnected={reconnected} />),
    end: () => socket.dispose(),
  };
});
