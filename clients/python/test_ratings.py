"""The server at BOOKENDS_URL, the URL that it prints, as the client library gql meets it."""

import asyncio
import os
from contextlib import aclosing
from urllib.parse import parse_qs, urlsplit

import pytest_asyncio
from gql import GraphQLRequest

from ratings import DELETE, NODE, backward, follow, forward, http_client, rate, socket_client
from way import Way

PRINTED = urlsplit(os.environ["BOOKENDS_URL"])
URL = f"http://{PRINTED.netloc}/graphql"
SOCKET = f"ws://{PRINTED.netloc}/graphql"
AUTHORIZATION = f"Bearer {parse_qs(PRINTED.fragment)['token'][0]}"


@pytest_asyncio.fixture
async def session():
    async with http_client(URL, AUTHORIZATION) as session:
        yield session


async def ask(session, query, **variables):
    return await session.execute(GraphQLRequest(query, variable_values=variables))


async def book(session):
    data = await ask(session, """
        mutation { addBook(input: { name: "A book for a test", year: 2026 }) { bookEdge { node { id } } } }
    """)
    return data["addBook"]["bookEdge"]["node"]["id"]


async def numbered(session, count):
    """The ids of the first ratings, the highest first, by page number: no cursor is involved."""
    ids = []
    for offset in range(0, count, 100):
        data = await ask(session, """query ($offset: Int) {
            ratings(first: 100, offset: $offset, orderBy: { field: RATING, direction: DESC }) { nodes { id } }
        }""", offset=offset)
        ids += [node["id"] for node in data["ratings"]["nodes"]]
    return ids


async def take(edges, count):
    taken = []
    async with aclosing(edges):
        async for edge in edges:
            taken.append(edge)
            if len(taken) == count:
                break
    return taken


def ids(edges):
    return [edge["node"]["id"] for edge in edges]


async def test_3000_rows_in_each_direction_have_no_gap_and_no_duplicate(session):
    expected = await numbered(session, 6000)
    first = await take(forward(session), 3000)
    second = await take(forward(session, first[-1]["cursor"]), 3000)
    assert ids(first + second) == expected
    back = [edge async for edge in backward(session, second[0]["cursor"])]
    assert ids(back) == expected[2999::-1]


async def test_the_edge_of_a_mutation_comes_to_its_place(session):
    edges = await take(forward(session), 300)
    book_id = await book(session)
    await rate(session, edges, book_id, 1)
    assert len(edges) == 300
    await rate(session, edges, book_id, 5)
    assert ids(edges) == (await numbered(session, 400))[:301]


async def test_node_finds_an_object_and_null_for_one_that_is_gone(session):
    rating = await rate(session, [], await book(session), 4)
    found = await ask(session, NODE, id=rating)
    assert found["node"] == {"id": rating, "rating": 4, "book": {"name": "A book for a test"}}
    assert await ask(session, DELETE, id=rating) == {"deleteRating": {"deletedId": rating}}
    assert await ask(session, NODE, id=rating) == {"node": None}


async def test_a_socket_takes_queries_and_mutations():
    async with socket_client(SOCKET, AUTHORIZATION) as session:
        rating = await rate(session, [], await book(session), 2)
        assert (await ask(session, NODE, id=rating))["node"]["rating"] == 2


async def until(condition):
    async with asyncio.timeout(30):
        while not condition():
            await asyncio.sleep(0.05)


async def test_a_subscription_continues_after_a_reconnect(session):
    book_id = await book(session)
    before = await rate(session, [], book_id, 1)
    heard = []

    async def listen(url):
        async for rating in follow(url, AUTHORIZATION, book_id):
            heard.append(rating["id"])

    async def write_until_heard():
        """Nobody is told when a subscription begins."""
        async with asyncio.timeout(30):
            written = []
            while not set(written) & set(heard):
                written.append(await rate(session, [], book_id, 5))
                await asyncio.sleep(0.1)

    async with Way(PRINTED.hostname, PRINTED.port) as way:
        listening = asyncio.create_task(listen(way.url))
        await until(lambda: before in heard)
        await write_until_heard()
        way.interrupt()
        missed = {await rate(session, [], book_id, stars) for stars in (3, 4)}
        assert not missed & set(heard)
        way.restore()
        await until(lambda: missed <= set(heard))
        await write_until_heard()
        assert len(set(heard)) == len(heard)
        listening.cancel()
