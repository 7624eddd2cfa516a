"""The workloads over the music shop."""

from workload import Workload, nested, one, pages

TRACK = "'id', t.id, 'name', t.name, 'rating', t.rating"

WORKLOADS = [
    Workload("Walk", "20 pages of 100 tracks, one after the other",
             pages("track", "'id', t.id, 'name', t.name", "id", 100, starts="k * 100", number=20), is_walk=True),
    Workload("Deep", "10 tracks by key, at 15 places from the first to the last page", pages("track", TRACK, "id", 10)),
    Workload("Ties", "the same by `rating DESC, id DESC`: five values", pages("track", TRACK, "rating DESC, id DESC", 10)),
    Workload("Opposite", "the same by `rating DESC, id ASC`", pages("track", TRACK, "rating DESC, id", 10)),
    Workload("Mixed", "the same by `year DESC, seconds ASC, id ASC`, with NULLs in both columns",
             pages("track", "'id', t.id, 'name', t.name, 'year', t.year, 'seconds', t.seconds", "year DESC, seconds, id", 10)),
    Workload("Gone", "10 tracks after the first row, when it has been deleted: no page is before",
             f"""SELECT json_build_array('{{"id": 1}}'::json, json_build_object('page', json_build_object(
             'nodes', json_agg(json_build_object({TRACK}) ORDER BY id),
             'pageInfo', json_build_object('hasPreviousPage', false, 'hasNextPage', true))))
             FROM (SELECT * FROM track ORDER BY id LIMIT 10) t""",
             before="INSERT INTO track VALUES (1, 'First', 2, 2, 3, 2000, 100)", after="DELETE FROM track WHERE id = 1"),
    Workload("Nested", "20 albums with 5 tracks each, and the flags of each list",
             pages("album", "'id', t.id, 'title', t.title, 'tracks', "
                   + nested("'id', c.id, 'name', c.name", "track WHERE album_id = t.id", "id", 5, "both"), "id", 20)),
    Workload("Many-to-many", "20 playlists with 10 tracks each, and the flags of each list",
             pages("playlist", "'id', t.id, 'name', t.name, 'tracks', " + nested(
                 "'id', c.id, 'name', c.name", "playlist_track p JOIN track ON track.id = p.track_id WHERE p.playlist_id = t.id",
                 "track.id", 10, "both"), "id", 20)),
    Workload("To one", "50 lines of invoices with customer, track, album and artist",
             pages("invoice_line", "'id', t.id, 'quantity', t.quantity, 'invoice', "
                   + one("'customer', " + one("'name', c.name", "customer c WHERE c.id = i.customer_id"),
                         "invoice i WHERE i.id = t.invoice_id")
                   + ", 'track', " + one("'name', r.name, 'album', " + one(
                       "'title', a.title, 'artist', " + one("'name', s.name", "artist s WHERE s.id = a.artist_id"),
                       "album a WHERE a.id = r.album_id"), "track r WHERE r.id = t.track_id"), "id", 50)),
    Workload("Filter", "10 tracks of artists from one country of 50",
             pages("track", "'id', t.id, 'name', t.name", "id", 10, variables="""'{"country": "Country 7"}'""",
                   where="""EXISTS (SELECT FROM album b JOIN artist s ON s.id = b.artist_id
                   WHERE b.id = t.album_id AND s.country = 'Country 7')""")),
    Workload("Count", "how many tracks one genre of 25 has",
             """SELECT json_build_array(json_build_object('genre', g.id), json_build_object('page', json_build_object(
             'totalCount', (SELECT count(*) FROM track t WHERE t.genre_id = g.id)))) FROM genre g ORDER BY id"""),
    Workload("First", "as Deep, each time in a document that the server has not seen", pages("track", TRACK, "id", 10)),
]
