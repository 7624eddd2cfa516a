"""Lists, writes and events of Bookends with the client library gql."""

import asyncio

from gql import Client, GraphQLRequest, gql
from gql.transport.aiohttp import AIOHTTPTransport
from gql.transport.exceptions import TransportError
from gql.transport.websockets import WebsocketsTransport


# docs:start client
def http_client(url, authorization):
    return Client(transport=AIOHTTPTransport(url, headers={"Authorization": authorization}))


def socket_client(url, authorization):
    transport = WebsocketsTransport(
        url, subprotocols=["graphql-transport-ws"], init_payload={"Authorization": authorization}
    )
    return Client(transport=transport)
# docs:end


# docs:start page
RATINGS = gql("""
    query ($first: Int, $after: String, $last: Int, $before: String) {
      ratings(first: $first, after: $after, last: $last, before: $before, orderBy: { field: RATING, direction: DESC }) {
        edges { cursor node { id rating } }
        pageInfo { hasPreviousPage hasNextPage startCursor endCursor }
      }
    }
""")


async def forward(session, after=None):
    """All edges after a cursor, page by page."""
    has_next = True
    while has_next:
        request = GraphQLRequest(RATINGS, variable_values={"first": 100, "after": after})
        page = (await session.execute(request))["ratings"]
        for edge in page["edges"]:
            yield edge
        after, has_next = page["pageInfo"]["endCursor"], page["pageInfo"]["hasNextPage"]
# docs:end


async def backward(session, before=None):
    """All edges before a cursor, page by page, the nearest first."""
    has_previous = True
    while has_previous:
        request = GraphQLRequest(RATINGS, variable_values={"last": 100, "before": before})
        page = (await session.execute(request))["ratings"]
        for edge in reversed(page["edges"]):
            yield edge
        before, has_previous = page["pageInfo"]["startCursor"], page["pageInfo"]["hasPreviousPage"]


RATE = gql("""
    mutation ($input: RateBookInput!) {
      rateBook(input: $input) { ratingEdge { cursor node { id rating } } previousEdgeCursor }
    }
""")


# docs:start in-place
async def rate(session, edges, book_id, rating):
    """Rates a book, and puts the new edge into a list of all ratings, the highest first, if its place is loaded."""
    order = {"field": "RATING", "direction": "DESC"}
    request = GraphQLRequest(RATE, variable_values={"input": {"bookId": book_id, "rating": rating, "orderBy": [order]}})
    payload = (await session.execute(request))["rateBook"]
    cursors = [None] + [edge["cursor"] for edge in edges]
    if payload["previousEdgeCursor"] in cursors:
        edges.insert(cursors.index(payload["previousEdgeCursor"]), payload["ratingEdge"])
    return payload["ratingEdge"]["node"]["id"]
# docs:end


NODE = gql("query ($id: ID!) { node(id: $id) { id ... on Rating { rating book { name } } } }")
DELETE = gql("mutation ($id: ID!) { deleteRating(input: { id: $id }) { deletedId } }")

ADDED = gql("subscription ($id: ID!) { ratingAdded(bookId: $id) { node { id rating } } }")
LIST = gql("query ($id: ID!) { book(by: { id: $id }) { ratings(last: 100) { nodes { id rating } } } }")


# docs:start subscription
async def follow(url, authorization, book_id):
    """The last 100 ratings of a book and each new one, once, also those that were added while the connection was lost."""
    variables, seen = {"id": book_id}, set()
    while True:
        try:
            async with socket_client(url, authorization) as session:
                # First subscribe, then list.
                events = session.subscribe(GraphQLRequest(ADDED, variable_values=variables))
                event = asyncio.ensure_future(anext(events, None))
                listed = await session.execute(GraphQLRequest(LIST, variable_values=variables))
                nodes = listed["book"]["ratings"]["nodes"]
                while True:
                    for node in nodes:
                        if node["id"] not in seen:
                            seen.add(node["id"])
                            yield node
                    nodes = [(await event)["ratingAdded"]["node"]]
                    event = asyncio.ensure_future(anext(events, None))
        except (OSError, TransportError):
            await asyncio.sleep(0.5)
# docs:end
