// Bookends beside PostGraphile 5, over the same databases: what both can express has the same rows. Plain SQL decides. The
// flags and rows of PostGraphile that SQL contradicts are printed (Relay lets it say `false` where it does not look); those of
// Bookends fail.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Kind } from "./reading.js";
import { close, Database } from "./servers.js";

const path = (name) => fileURLToPath(new URL(name, import.meta.url));
const file = path("../../../shared/data/sakila.postgres.sql");
const skip = existsSync(file) ? false : `${file} is absent`;
const kinds = [];
// The tables of the others take long to make.
const isSakilaAlone = Boolean(process.env.SAKILA_ALONE);
let sakila;
let tracks;

// Both servers offer an order only where an index holds it.
const indexes = ["film (title, film_id)", "film (rating, film_id)", "film (length, film_id)", "film (language_id, film_id)",
  "film (original_language_id, film_id)", "film_actor (film_id, actor_id)", "rental (return_date, rental_id)",
  "rental (customer_id, rental_id)", "payment (customer_id, payment_id)",
  // PostGraphile offers a condition only where an index has its column.
  "payment (amount)",
  "customer (last_name, customer_id)", "city (country_id, city_id)", "inventory (film_id, inventory_id)"];

before(async () => {
  if (!skip) sakila = await new Database("sakila", file, indexes.map((index) => `CREATE INDEX ON ${index}`).join(";")).serve();
  if (!isSakilaAlone) tracks = await new Database("tracks", path("tracks.sql")).serve();
});

after(async () => {
  await close();
  const line = (...cells) => console.log(`| ${cells.join(" | ")} |`);
  line("kind", "queries", "Bookends", "PostGraphile", "Bookends, median ms", "PostGraphile, median ms");
  line("---", "---:", "---", "---", "---:", "---:");
  const median = ({ times }) => times.sort((a, b) => a - b)[times.length >> 1]?.toFixed(1);
  const verdict = ({ rows, flags }) => {
    const found = [rows && `${rows} with other rows`, flags && `${flags} with other flags`].filter(Boolean);
    return found.join(", ") || "as SQL";
  };
  for (const { name, queries, bookends, postgraphile } of kinds) {
    line(name, queries, verdict(bookends), verdict(postgraphile), median(bookends), median(postgraphile));
  }
  console.log("The first answers of PostGraphile that SQL contradicts:");
  for (const { name, postgraphile } of kinds) {
    for (const [what, example] of Object.entries(postgraphile.examples ?? {})) console.log(`- ${name}, ${what}: ${example}`);
  }
});

const compare = (name, run, database = () => sakila, options = { skip }) => test(name, options, async () => {
  const kind = new Kind(database(), name);
  kinds.push(kind);
  await run(kind);
  assert.deepEqual(kind.bookends.examples, undefined);
});
const compareTracks = (name, run) => compare(name, run, () => tracks, { skip: isSakilaAlone });

// Sakila.

const film = { list: "films", table: "film", fields: ["film_id", "title", "rating", "length"] };
const rental = { list: "rentals", table: "rental", fields: ["rental_id", "return_date"], size: 1000 };
const payment = { list: "payments", table: "payment", fields: ["payment_id", "amount"], size: 1000 };

compare("Sakila: whole lists by key", async (kind) => {
  await kind.walk({ ...film, order: ["film_id"] });
  await kind.walk({ ...film, order: ["film_id desc"], size: 7, pages: 20 });
  await kind.walk({ ...rental, order: ["rental_id desc"] });
  await kind.walk({ ...payment, order: ["payment_id"] });
  await kind.walk({ list: "stores", table: "store", fields: ["store_id"], order: ["store_id"], size: 1 });
});

compare("Sakila: whole lists by a key of two columns", async (kind) => {
  const fields = ["actor_id", "film_id", "last_update"];
  await kind.walk({ list: "filmActors", table: "film_actor", fields, order: ["actor_id", "film_id"], byDefault: true, size: 500 });
});

compare("Sakila: whole lists with ties and NULLs", async (kind) => {
  for (const column of ["title", "length", "language_id", "original_language_id"]) {
    await kind.walk({ ...film, order: [column, "film_id"] });
    await kind.walk({ ...film, order: [`${column} desc`, "film_id desc"], size: 199 });
  }
  await kind.walk({ ...rental, order: ["return_date", "rental_id"] });
  await kind.walk({ ...rental, order: ["return_date desc", "rental_id desc"] });
  // Tables inherit from it, so that no index holds another order of all its rows.
  await kind.walk({ ...payment, order: ["payment_id desc"] });
});

compare("Sakila: lists with conditions", async (kind) => {
  await kind.walk({ ...film, order: ["film_id"], where: { rating: ["PG_13", "'PG-13'"] } });
  await kind.walk({ ...film, order: ["title", "film_id"], where: { length: 85 }, size: 5 });
  await kind.walk({ ...film, order: ["title", "film_id"], where: { language_id: 1, original_language_id: null } });
  await kind.walk({ ...rental, order: ["rental_id"], where: { return_date: null } });
  await kind.walk({ ...rental, order: ["rental_id desc"], where: { customer_id: 148 }, size: 9 });
  await kind.walk({ ...payment, order: ["payment_id"], where: { amount: ['"4.99"', "4.99"] } });
  await kind.walk({ ...payment, order: ["payment_id"], where: { customer_id: -1 } });
});

compare("Sakila: all columns", async (kind) => {
  const tables = {
    films: ["film", "film_id title description release_year rental_duration rental_rate length replacement_cost rating last_update special_features"],
    customers: ["customer", "customer_id first_name last_name email activebool create_date last_update active"],
    addresses: ["address", "address_id address address2 district postal_code phone last_update"],
    payments: ["payment", "payment_id customer_id staff_id rental_id amount payment_date"],
    rentals: ["rental", "rental_id rental_date inventory_id return_date staff_id last_update"],
  };
  for (const [list, [table, columns]] of Object.entries(tables)) {
    const fields = columns.split(" ");
    await kind.walk({ list, table, fields, order: [fields[0]], size: 500, pages: 2 });
  }
});

// One object in SQL.
const one = (columns, from) => `SELECT json_build_object('one', (SELECT json_build_object(${columns}) FROM ${from}))`;

compare("Sakila: one by a unique key", async (kind) => {
  for (const id of [1, 500, 1000, 1001]) {
    await kind.both(
      `{ one: filmByFilmId(filmId: ${id}) { title rating } }`,
      `{ list: films(where: {filmId: {eq: ${id}}}) { nodes { title rating } } }`,
      one("'title', title, 'rating', rating", `film WHERE film_id = ${id}`),
    );
  }
  for (const film of [2, 3, 4, 31]) {
    await kind.both(
      `{ one: filmActorByActorIdAndFilmId(actorId: 2, filmId: ${film}) { lastUpdate } }`,
      `{ list: filmActors(where: {actorId: {eq: 2}, filmId: {eq: ${film}}}) { nodes { lastUpdate } } }`,
      one("'lastUpdate', last_update", `film_actor WHERE actor_id = 2 AND film_id = ${film}`),
    );
  }
});

compare("Sakila: one by its global id", async (kind) => {
  const ids = {
    postgraphile: (await sakila.postgraphile("{ allFilmActors(first: 3) { nodes { id } } }")).allFilmActors.nodes,
    bookends: (await sakila.bookends("{ filmActors(first: 3) { nodes { id } } }")).filmActors.nodes,
  };
  const rows = sakila.json(`SELECT json_agg(row) FROM (
    SELECT actor_id AS "actorId", film_id AS "filmId" FROM film_actor ORDER BY 1, 2 LIMIT 3) row`);
  for (const [i, node] of rows.entries()) {
    kind.queries += 1;
    for (const server of ["postgraphile", "bookends"]) {
      const query = `query ($id: ID!) {
        node(id: $id) { ... on FilmActor { actorId filmId } } one: filmActor(id: $id) { actorId filmId } }`;
      await kind.ask(server, query, { id: ids[server][i].id }, { node, one: node });
    }
  }
});

compare("Sakila: relations to one", async (kind) => {
  await kind.both(
    `{ list: allFilms(first: 100) { nodes { filmId language: languageByLanguageId { name }
       originalLanguage: languageByOriginalLanguageId { name } } } }`,
    `{ list: films(first: 100) { nodes { filmId language { name } originalLanguage { name } } } }`,
    `SELECT json_build_object('list', json_build_object('nodes', json_agg(n))) FROM (SELECT film_id AS "filmId",
      (SELECT json_build_object('name', name) FROM language l WHERE l.language_id = f.language_id) AS language,
      (SELECT json_build_object('name', name) FROM language l WHERE l.language_id = f.original_language_id) AS "originalLanguage"
      FROM film f ORDER BY film_id LIMIT 100) n`,
  );
  await kind.both(
    `{ list: allRentals(last: 100) { nodes { rentalId
       customer: customerByCustomerId { address: addressByAddressId { city: cityByCityId {
         city country: countryByCountryId { country } } } }
       inventory: inventoryByInventoryId { film: filmByFilmId { title } } } } }`,
    `{ list: rentals(last: 100) { nodes { rentalId customer { address { city { city country { country } } } } inventory { film { title } } } } }`,
    `SELECT json_build_object('list', json_build_object('nodes', json_agg(n ORDER BY "rentalId"))) FROM (SELECT rental_id AS "rentalId",
      json_build_object('address', json_build_object('city',
        json_build_object('city', city, 'country', json_build_object('country', country)))) AS customer,
      json_build_object('film', json_build_object('title', title)) AS inventory
      FROM rental JOIN customer USING (customer_id) JOIN address USING (address_id) JOIN city USING (city_id) JOIN country USING (country_id)
        JOIN inventory USING (inventory_id) JOIN film USING (film_id) ORDER BY rental_id DESC LIMIT 100) n`,
  );
});

// What a list in an object is in SQL: its rows, their number, and whether others come before and after `first` or `last`.
const nested = (columns, from, order, { first, last }) => `(SELECT json_build_object('totalCount', count(*),
  'nodes', coalesce(json_agg(json_build_object(${columns}) ORDER BY place)
    FILTER (WHERE ${first ? `place <= ${first}` : `total - place < ${last}`}), '[]'),
  'pageInfo', json_build_object('hasPreviousPage', ${first ? "false" : `count(*) > ${last}`},
    'hasNextPage', ${first ? `count(*) > ${first}` : "false"}))
  FROM (SELECT *, row_number() OVER (ORDER BY ${order}) AS place, count(*) OVER () AS total FROM ${from}) t)`;
const page = "totalCount pageInfo { hasPreviousPage hasNextPage }";

compare("Sakila: lists in lists", async (kind) => {
  await kind.both(
    `{ list: allCountries(first: 50) { nodes { country
       cities: citiesByCountryId(first: 3) { ${page} nodes { city addresses: addressesByCityId(last: 1) { ${page} nodes { address } } } } } } }`,
    `{ list: countries(first: 50) { nodes { country cities(first: 3) { ${page} nodes { city addresses(last: 1) { ${page} nodes { address } } } } } } }`,
    `SELECT json_build_object('list', json_build_object('nodes', json_agg(n))) FROM (SELECT country, ${nested(
      `'city', city, 'addresses', ${nested("'address', address", "address a WHERE a.city_id = t.city_id", "address_id", { last: 1 })}`,
      "city c WHERE c.country_id = country.country_id", "city_id", { first: 3 })} AS cities
      FROM country ORDER BY country_id LIMIT 50) n`,
  );
  await kind.both(
    `{ list: allCustomers(first: 100, orderBy: [LAST_NAME_ASC, CUSTOMER_ID_ASC]) { nodes { lastName
       rentals: rentalsByCustomerId(first: 5, orderBy: [RENTAL_ID_DESC]) { ${page} nodes { rentalId } }
       payments: paymentsByCustomerId(last: 2) { ${page} nodes { paymentId amount } } } } }`,
    `{ list: customers(first: 100, orderBy: [{field: LAST_NAME}, {field: CUSTOMER_ID}]) { nodes { lastName
       rentals(first: 5, orderBy: [{field: RENTAL_ID, direction: DESC}]) { ${page} nodes { rentalId } }
       payments(last: 2) { ${page} nodes { paymentId amount } } } } }`,
    `SELECT json_build_object('list', json_build_object('nodes', json_agg(n))) FROM (SELECT last_name AS "lastName",
      ${nested("'rentalId', rental_id", "rental r WHERE r.customer_id = c.customer_id", "rental_id DESC", { first: 5 })} AS rentals,
      ${nested("'paymentId', payment_id, 'amount', amount", "payment p WHERE p.customer_id = c.customer_id", "payment_id", { last: 2 })} AS payments
      FROM customer c ORDER BY last_name, customer_id LIMIT 100) n`,
  );
});

compare("Sakila: many to many, by its table", (kind) => kind.both(
  `{ list: allFilms(last: 100) { nodes { filmId title
     filmActors: filmActorsByFilmId(first: 4) { ${page} nodes { actor: actorByActorId { lastName } } } } } }`,
  `{ list: films(last: 100) { nodes { filmId title filmActors(first: 4) { ${page} nodes { actor { lastName } } } } } }`,
  `SELECT json_build_object('list', json_build_object('nodes', json_agg(n ORDER BY n."filmId"))) FROM (SELECT film_id AS "filmId", title, ${nested(
    "'actor', json_build_object('lastName', last_name)",
    "film_actor fa JOIN actor USING (actor_id) WHERE fa.film_id = f.film_id", "actor_id", { first: 4 })} AS "filmActors"
    FROM film f ORDER BY film_id DESC LIMIT 100) n`,
));

// One million tracks.

const track = { list: "tracks", table: "track", fields: ["id", "genre", "rating", "plays", "released_at"] };
const artist = { list: "artists", table: "artist", fields: ["id", "name", "country"], size: 500 };

for (const [place, from] of [["start", 0], ["middle", 500_000], ["end", -301]]) {
  compareTracks(`1,000,000 rows: pages at the ${place}`, async (kind) => {
    for (const order of [["id desc"], ["plays desc", "id desc"], ["released_at", "id"]]) {
      await kind.walk({ ...track, order, from, pages: 3 });
    }
  });
  compareTracks(`1,000,000 rows: pages at the ${place}, in orders with NULLs`, async (kind) => {
    for (const order of [["rating", "id"], ["rating desc", "id"], ["genre desc", "plays desc", "id desc"]]) {
      await kind.walk({ ...track, order, from, pages: 3 });
    }
  });
}

compareTracks("1,000,000 rows: all of them", (kind) => kind.walk({ ...track, fields: ["id"], order: ["id"], size: 1000, isBackToo: false }));

compareTracks("1,000,000 rows: whole lists with conditions", async (kind) => {
  await kind.walk({ ...track, order: ["plays", "id"], where: { genre: '"genre 3"' }, size: 1000 });
  await kind.walk({ ...track, order: ["id desc"], where: { genre: null }, size: 1000, isBackToo: false });
  await kind.walk({ ...track, order: ["id"], where: { genre: '"genre 3"', rating: ['"3.1"', "3.1"] }, size: 500 });
  await kind.walk({ ...track, order: ["id"], where: { plays: ['"9000000000"', "9000000000"] }, size: 50 });
  await kind.walk({ ...track, order: ["id"], where: { album_id: 777 }, size: 3 });
});

compareTracks("1,000,000 rows: whole lists in the order of a language", async (kind) => {
  await kind.walk({ ...artist, order: ["name", "id"] });
  await kind.walk({ ...artist, order: ["name desc", "id desc"] });
  await kind.walk({ ...artist, order: ["name", "id"], where: { country: '"fr"' }, size: 100 });
});

compareTracks("1,000,000 rows: whole lists with NULLs", async (kind) => {
  await kind.walk({ ...artist, order: ["country", "id"] });
  await kind.walk({ ...artist, order: ["country desc", "id desc"] });
});

compareTracks("1,000,000 rows: one by a unique key", async (kind) => {
  for (const id of [1, 777, 99_999, 100_001]) {
    await kind.both(
      `{ one: trackByAlbumIdAndPosition(albumId: ${id}, position: 4) { rowId plays } }`,
      `{ list: tracks(where: {albumId: {eq: ${id}}, position: {eq: 4}}) { nodes { rowId plays } } }`,
      one("'rowId', id, 'plays', plays", `track WHERE album_id = ${id} AND position = 4`),
    );
    await kind.both(
      `{ one: artistByName(name: "Ärger Band ${id}") { rowId } }`,
      `{ list: artists(where: {name: {eq: "Ärger Band ${id}"}}) { nodes { rowId } } }`,
      one("'rowId', id", `artist WHERE name = 'Ärger Band ${id}'`),
    );
  }
});

compareTracks("1,000,000 rows: relations and lists in lists", (kind) => kind.both(
  `{ list: allArtists(first: 20, orderBy: [NAME_DESC, ROW_ID_DESC]) { nodes { name
     albums: albumsByArtistId(first: 5) { ${page} nodes { title artist: artistByArtistId { rowId }
     tracks: tracksByAlbumId(last: 3, orderBy: [PLAYS_ASC, ROW_ID_ASC]) { ${page} nodes { rowId } } } } } } }`,
  `{ list: artists(first: 20, orderBy: [{field: NAME, direction: DESC}, {field: ROW_ID, direction: DESC}]) { nodes { name
     albums(first: 5) { ${page} nodes { title artist { rowId }
     tracks(last: 3, orderBy: [{field: PLAYS}, {field: ROW_ID}]) { ${page} nodes { rowId } } } } } } }`,
  `SELECT json_build_object('list', json_build_object('nodes', json_agg(n))) FROM (SELECT name, ${nested(
    `'title', title, 'artist', json_build_object('rowId', artist_id),
     'tracks', ${nested("'rowId', id", "track WHERE album_id = t.id", "plays, id", { last: 3 })}`,
    "album WHERE artist_id = artist.id", "id", { first: 5 })} AS albums
    FROM artist ORDER BY name DESC, id DESC LIMIT 20) n`,
));

compareTracks("1,000,000 rows: counts", async (kind) => {
  for (const [condition, where, sql] of [
    ["", "", "true"],
    ['genre: "genre 3"', 'genre: {eq: "genre 3"}', "genre = 'genre 3'"],
    ["rating: null", "rating: {isNull: true}", "rating IS NULL"],
    ['genre: "genre 3", rating: "0.1"', 'genre: {eq: "genre 3"}, rating: {eq: "0.1"}', "genre = 'genre 3' AND rating = 0.1"],
  ]) await kind.both(
    `{ list: allTracks(condition: {${condition}}) { totalCount } }`,
    `{ list: tracks(where: {${where}}) { totalCount } }`,
    `SELECT json_build_object('list', json_build_object('totalCount', count(*))) FROM track WHERE ${sql}`,
  );
});
