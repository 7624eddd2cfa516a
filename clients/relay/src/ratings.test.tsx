import { Suspense, type ReactNode } from "react";
import { RelayEnvironmentProvider, graphql, useLazyLoadQuery } from "react-relay";
import { fetchQuery } from "relay-runtime";
import * as library from "@testing-library/react";
import * as vitest from "vitest";

import { contract } from "../../contract.js";
import * as server from "../../server.js";
import { BookRatings } from "./BookRatings";
import { RatingCard } from "./RatingCard";
import { RatingList } from "./RatingList";
import { createEnvironment, type Server } from "./environment";
import type { ratingsTestBookQuery } from "./__generated__/ratingsTestBookQuery.graphql";
import type { ratingsTestListQuery } from "./__generated__/ratingsTestListQuery.graphql";

const { expect, test } = vitest;

function Ratings({ after }: { after?: string }) {
  const query = useLazyLoadQuery<ratingsTestListQuery>(
    graphql`query ratingsTestListQuery($after: String) { ...RatingList_query @arguments(first: 100, after: $after) }`,
    { after },
  );
  return <RatingList query={query} />;
}

function OneBook({ id, reconnected }: { id: string; reconnected: (refetch: () => void) => () => void }) {
  const { node } = useLazyLoadQuery<ratingsTestBookQuery>(
    graphql`query ratingsTestBookQuery($id: ID!) { node(id: $id) { ...BookRatings_book @alias(as: "book") } }`,
    { id },
  );
  return <BookRatings book={node!.book!} reconnected={reconnected} />;
}

function start(server: Server) {
  const { environment, socket } = createEnvironment(server);
  const show = (children: ReactNode) =>
    library.render(
      <RelayEnvironmentProvider environment={environment}>
        <Suspense fallback="Loading">{children}</Suspense>
      </RelayEnvironmentProvider>,
    );
  return {
    environment,
    show,
    showList: (after?: string) => show(<Ratings after={after} />),
    showBook: (id: string, reconnected: (refetch: () => void) => () => void) =>
      show(<OneBook id={id} reconnected={reconnected} />),
    end: () => socket.dispose(),
  };
}

contract({ ...vitest, library }, start);

const idle = () => start({ ...server, socketUrl: server.url, onReconnect: () => {} });

test("`node` finds an object, and null for one that is gone", async () => {
  const { id, ratings: [rating] } = await server.book(4);
  const { unmount } = idle().show(<RatingCard id={rating} />);
  await library.screen.findByText("4: A book for a test");
  unmount();
  await server.ask("mutation ($id: ID!) { deleteBook(input: { id: $id, cascade: true }) { deletedId } }", { id });
  idle().show(<RatingCard id={rating} />);
  await library.screen.findByText("It is gone.");
});

test("a list that fails is thrown by `@throwOnFieldError`, and null without it", async () => {
  const { environment } = idle();
  const query = graphql`query ratingsTestNullQuery { ratings(after: "x") { nodes { id } } }`;
  await expect(fetchQuery(environment, query, {}).toPromise()).resolves.toEqual({ ratings: null });
  const strict = graphql`query ratingsTestThrowQuery @throwOnFieldError { ratings(after: "x") { nodes { id } } }`;
  await expect(fetchQuery(environment, strict, {}).toPromise()).rejects.toThrow(/Unexpected response payload/);
});
