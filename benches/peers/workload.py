"""A workload: what is asked, and what SQL says that the answer is. The statements are as plain as they can be, with OFFSETs and
window functions, because they are the judge."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Workload:
    name: str
    about: str
    # Each row is a JSON array of the variables of a request and the expected response.
    sql: str
    # Each request continues after the page before it.
    is_walk: bool = False
    # Statements around the request for the cursor.
    before: str = ""
    after: str = ""


def nested(columns, rows, order, size, flags=""):
    """A list in an object: the first rows, and the flags that are named."""
    info = {"": "", "next": ", 'pageInfo', json_build_object('hasNextPage', count(*) > %d)" % size,
            "both": ", 'pageInfo', json_build_object('hasPreviousPage', false, 'hasNextPage', count(*) > %d)" % size}[flags]
    return f"""(SELECT json_build_object('nodes', coalesce(json_agg(json_build_object({columns}) ORDER BY place)
        FILTER (WHERE place <= {size}), '[]'){info})
        FROM (SELECT *, row_number() OVER (ORDER BY {order}) AS place FROM {rows}) c)"""


def one(columns, rows):
    """An object in an object."""
    return f"(SELECT json_build_object({columns}) FROM {rows})"


def pages(table, columns, order, size, where="true", variables="'{}'", starts="n * k / 12", number=12):
    """Pages of a list: from its beginning, over as many places as `number` says, to its last rows. Each comes after the row
    whose key is the variable `id`, which is absent at the beginning."""
    edges = "1, n - %d, n - 1" % size if number == 12 else "0"
    return f"""WITH list AS MATERIALIZED (SELECT id, row_number() OVER (ORDER BY {order}) AS place FROM {table} t WHERE {where}),
        size AS (SELECT count(*) AS n FROM list),
        start AS (SELECT DISTINCT place FROM size, LATERAL (SELECT {starts} FROM generate_series(0, {number - 1}) k
            UNION ALL SELECT unnest(ARRAY[{edges}])) s (place) WHERE place BETWEEN 0 AND n - 1)
        SELECT json_build_array({variables}::jsonb || jsonb_build_object('id', a.id), json_build_object('page', json_build_object(
            'nodes', (SELECT coalesce(json_agg(json_build_object({columns}) ORDER BY l.place), '[]')
                FROM list l JOIN {table} t USING (id) WHERE l.place > s.place AND l.place <= s.place + {size}),
            'pageInfo', json_build_object('hasPreviousPage', s.place > 0, 'hasNextPage', s.place + {size} < n))))
        FROM start s LEFT JOIN list a USING (place) CROSS JOIN size ORDER BY s.place"""


def objects(table, columns, key="id", number=20):
    """The same fields of several objects."""
    return f"""SELECT json_build_array(json_build_object('id', t.{key}), json_build_object('one', json_build_object({columns})))
        FROM (SELECT * FROM {table} ORDER BY md5({key}::text) LIMIT {number}) t"""
