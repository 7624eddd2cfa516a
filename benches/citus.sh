#!/usr/bin/env bash
# Pages of the book shop on Citus, beside plain PostgreSQL:
#
#     benches/citus.sh [program] [ratings] [seconds] [shards ...]
#
# For each number of shards a database of its own, on the coordinator that TEST_CITUS_URL names and its workers, and one on the PostgreSQL
# that TEST_DATABASE_URL names. All have the same rows: 200,000 books and so many ratings, which are distributed by their book. Tables have
# the indexes that the pages need, and no triggers. Over one connection, then over 16: requests a second, and the median and the 99th
# percentile in ms. Without a program, the `dist` build. Needs Linux, wrk, curl, jq and psql.
set -euo pipefail
program=${1:-} ratings=${2:-20000000} seconds=${3:-5}
shift $(($# < 3 ? $# : 3))
[ $# -gt 0 ] || set -- 1 4 32
. "$(dirname "$0")/lib.sh"
find_program "$program"
export PGOPTIONS='-c client_min_messages=warning'
export WRITE_TOKEN=0123456789abcdef0123456789abcdef
nodes=() distributed=() joining=''
cleanup() {
    local name node
    for name in "${distributed[@]}"; do
        for node in "${nodes[@]}"; do psql -q "$node" -c "DROP DATABASE IF EXISTS $name WITH (FORCE)"; done
    done
}

# The URL of a database of that server.
at() {
    local parameters=''
    [[ $1 != *\?* ]] || parameters="?${1#*\?}"
    local base=${1%%\?*}
    echo "${base%/*}/$2$parameters"
}

# Finds the servers of the cluster, and the SQL by which those of another database know each other.
find_nodes() {
    local host port function=citus_set_coordinator_host base=${TEST_CITUS_URL%%\?*} user
    user=${base#*://} user=${user%%@*}
    while IFS='|' read -r host port; do
        joining+="SELECT $function('$host', $port);" function=citus_add_node
        nodes+=("${base%%://*}://$user@$host:$port/${TEST_CITUS_URL##*/}")
    done < <(psql -qAt "$TEST_CITUS_URL" -c 'SELECT nodename, nodeport FROM pg_dist_node ORDER BY groupid')
}

# A database of this name on the cluster.
create_distributed() {
    local name=$1 node
    distributed+=("$name")
    for node in "${nodes[@]}"; do
        psql -q "$node" -c "CREATE DATABASE $name"
        psql -q "$(at "$node" "$name")" -c 'CREATE EXTENSION citus'
    done
    psql -qAt "$(at "$TEST_CITUS_URL" "$name")" -c "$joining" >/dev/null
}

# The tables of the shop without triggers, and with the indexes that are measured; distributed if there are shards.
prepare() {
    local table tables='book_rating book_order book_stats'
    DATABASE_URL=$1 "$program" migrate up >/dev/null
    psql -q "$1" <<'SQL'
DO $$
DECLARE found record;
BEGIN
    FOR found IN SELECT tgname, tgrelid::regclass AS of FROM pg_trigger WHERE NOT tgisinternal
        AND tgrelid IN ('book'::regclass, 'book_rating'::regclass, 'book_order'::regclass, 'book_stats'::regclass)
    LOOP EXECUTE format('DROP TRIGGER %I ON %s', found.tgname, found.of); END LOOP;
END $$;
ALTER TABLE book_rating DROP CONSTRAINT book_rating_id_is_v7;
DROP INDEX book_rating_by_rating_against_id, book_rating_of_book_by_rating, book_rating_of_book_by_rating_against_id;
SQL
    for table in $tables; do psql -q "$1" -c "ALTER TABLE $table DROP CONSTRAINT ${table}_book_id_fkey"; done
    [ "$2" -gt 0 ] || return 0
    psql -qAt "$1" -c 'ALTER TABLE book_rating DROP CONSTRAINT book_rating_pkey; CREATE INDEX ON book_rating (id)' \
        -c 'ALTER TABLE book_order DROP CONSTRAINT book_order_pkey; CREATE INDEX ON book_order (id)' \
        -c "SET citus.shard_count = $2" -c "SELECT create_distributed_table('book', 'id')" >/dev/null
    for table in $tables; do
        psql -qAt "$1" -c "SELECT create_distributed_table('$table', 'book_id', colocate_with => 'book')" >/dev/null
    done
}

fill() {
    psql -q "$1" <<SQL
CREATE TEMP TABLE key AS SELECT n, (lpad(to_hex(1577836800000 + n * 6000::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3)
    || '8' || substr(md5(n::text), 4, 15))::uuid AS id FROM generate_series(1, 200000) n;
CREATE UNIQUE INDEX ON key (n);
ANALYZE key;
INSERT INTO book (id, name, year) SELECT id, 'Book ' || n, 1900 + n % 120 FROM key;
INSERT INTO book_stats SELECT id FROM key;
INSERT INTO book_rating (id, rating, book_id)
SELECT (lpad(to_hex(1640995200000 + n * 1000::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8'
    || substr(md5(n::text), 4, 15))::uuid, 1 + n % 5, (SELECT id FROM key WHERE key.n = 1 + (g.n * 7919::bigint) % 200000)
FROM generate_series(1, $ratings) AS g(n);
SQL
    psql -q "$1" -c 'VACUUM ANALYZE book_rating' -c 'VACUUM ANALYZE book'
}

# A cursor of the ratings at each of a hundred times. There is one each second.
cursors_with() {
    local step time
    for step in {1..100}; do
        time=$(date --utc --date "2022-01-01 UTC + $((ratings * step / 101)) seconds" +%FT%TZ)
        ask "$1" "{\"query\": \"{ ratings(last: 1, asOf: \\\"$time\\\" ${2//STARS/$((1 + step % 5))}) { edges { cursor } } }\"}" |
            jq -r '.data[].edges[].cursor'
    done
}

# The bodies of requests at a hundred places, from the beginning to the end.
bodies() {
    cursors_with "$1" '' >cursors
    cursors_with "$1" ', where: { rating: { eq: STARS } }, orderBy: [{ field: RATING, direction: DESC }]' >ties
    ask "$1" '{"query": "{ books(first: 100) { edges { cursor node { id } } } }"}' >found
    jq -r '.data.books.edges[].node.id' found >books
    jq -r '.data.books.edges[].cursor' found >after
    body() { jq -R -c --arg query "query(\$it: ${3:-String}) { $2 }" '{ query: $query, variables: { it: . } }' "$1"; }
    local page='edges { cursor node { id rating } } pageInfo { hasPreviousPage hasNextPage }'
    body cursors "ratings(first: 10, after: \$it) { $page }" >bodies.page
    body cursors "ratings(first: 10, after: \$it) { edges { cursor node { id rating book { name } } } pageInfo { hasNextPage } }" >bodies.books
    body ties "ratings(first: 10, after: \$it, orderBy: [{ field: RATING, direction: DESC }]) { $page }" >bodies.ties
    body after "books(first: 20, after: \$it) { nodes { name ratings(first: 5) { $page } } }" >bodies.nested
    body books "node(id: \$it) { ... on Book { ratings(first: 10) { $page } } }" ID! >bodies.list
    jq -R -c '{ query: "mutation($it: ID!) { rateBook(input: { bookId: $it, rating: 4 }) { ratingEdge { cursor } } }", variables: { it: . } }' \
        books >bodies.insert
}

measure() {
    local kind one many
    bodies "$1"
    for kind in page books ties nested list insert; do
        ask "$1" "$(head -1 bodies.$kind)" | jq -e '.errors | not' >/dev/null
        load "$1" bodies.$kind 1 1 >/dev/null
        one=$(load "$1" bodies.$kind "$seconds" 1) many=$(load "$1" bodies.$kind "$seconds" 16)
        echo "| $1 | $kind | $one | $many |"
    done
}

# Measures a database, with this many shards for each table.
serve() {
    prepare "$2" "$3"
    fill "$2"
    DATABASE_URL=$2 LISTEN=127.0.0.1:0 start "$1" "$program"
    measure "$1"
    kill "${server[$1]}"
    wait "${server[$1]}" 2>/dev/null || true
    unset "server[$1]"
}

cd "$work"
find_nodes
head_of_table "$ratings ratings" '| database | request | one connection: a second, p50, p99 ms, failures | 16 connections |'
if [ -n "${TEST_DATABASE_URL:-}" ]; then
    create_database citus
    serve plain "$made_url" 0
fi
for shards in "$@"; do
    create_distributed "bookends_citus_$$_$shards"
    serve "$shards shards" "$(at "$TEST_CITUS_URL" "bookends_citus_$$_$shards")" "$shards"
done
