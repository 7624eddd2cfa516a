#!/usr/bin/env bash
# What a pooler costs, as a table:
#
#     benches/pooler.sh [program] [ratings] [seconds] [rounds]
#
# Three servers on one database: with prepared statements, with unprepared ones, and with unprepared ones behind PgBouncer in
# transaction mode. In turns, each answers pages of 10 ratings with their books, deep in the list (one statement), the same beside a
# list of books (two statements in a snapshot), and `rateBook` (a transaction that writes), over 16 connections. The table has the
# medians of the rounds. TEST_DATABASE_URL names the PostgreSQL, which needs no password. Without a program, the `dist` build. Needs
# Linux, wrk, curl, jq, psql and pgbouncer.
set -euo pipefail
program=${1:-} ratings=${2:-100000} seconds=${3:-5} rounds=${4:-5}
. "$(dirname "$0")/lib.sh"
: "${TEST_DATABASE_URL:?expected the URL of a PostgreSQL}"
find_program "$program"
# PgBouncer runs as another user.
chmod 755 "$work"
cd "$work"

create_database pooler
seed "$made_url" "$ratings"
psql -q "$made_url" -c 'VACUUM ANALYZE'

read -r host port user < <(psql -qAtX -F ' ' "$made_url" -c "SELECT coalesce(host(inet_server_addr()), 'localhost'), inet_server_port(), current_user")
bouncer=64$((RANDOM % 90 + 10))
cat >pgbouncer.ini <<INI
[databases]
$made = host=$host port=$port user=$user
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $bouncer
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 16
INI
owner=(env)
if [ "$(id -u)" = 0 ]; then owner=(setpriv --reuid=postgres --regid=postgres --init-groups); fi
"${owner[@]}" "$(command -v pgbouncer || echo /usr/sbin/pgbouncer)" pgbouncer.ini 2>bouncer.log &
server[bouncer]=$!
pooled=postgres://$user@127.0.0.1:$bouncer/$made
until psql -qAtX "$pooled" -c 'SELECT 1' >/dev/null 2>&1; do
    kill -0 $!
    sleep 0.1
done

# The writes need a token.
export WRITE_TOKEN=the-token-of-the-bench LISTEN=127.0.0.1:0 MAX_REQUESTS=256
DATABASE_STATEMENT_MODE=prepared DATABASE_URL=$made_url start prepared "$program"
DATABASE_STATEMENT_MODE=unprepared DATABASE_URL=$made_url start unprepared "$program"
DATABASE_STATEMENT_MODE=unprepared DATABASE_URL=$pooled start pooled "$program"

fields='edges { cursor node { id rating book { name } } } pageInfo { hasPreviousPage hasNextPage startCursor endCursor }'
for step in {1..20}; do
    offset=$((step * 500 < ratings / 2 ? step * 500 : step))
    cursor=$(ask prepared "{\"query\": \"{ ratings(first: 1, offset: $offset) { edges { cursor } } }\"}" |
        jq --raw-output '.data.ratings.edges[0].cursor')
    page="ratings(first: 10, after: \\\"$cursor\\\") { $fields }"
    echo "{\"query\": \"{ $page }\"}" >>one
    echo "{\"query\": \"{ $page books(last: 3) { nodes { name } } }\"}" >>two
done
[ "$(ask prepared "$(sed -n 9p two)" | jq '(.data.ratings.edges | length) + (.data.books.nodes | length)')" = 13 ]
# Writers of one book would wait for each other.
ask prepared '{"query": "{ books(first: 100) { nodes { id } } }"}' | jq --raw-output '.data.books.nodes[].id' | while read -r id; do
    echo "{\"query\": \"mutation { rateBook(input: { bookId: \\\"$id\\\", rating: 4 }) { ratingEdge { cursor node { id } } } }\"}" >>write
done
ask prepared "$(sed -n 9p write)" | jq --exit-status .data.rateBook.ratingEdge.node.id >/dev/null

for ((round = 0; round < rounds; round++)); do
    for query in one two write; do
        for way in prepared unprepared pooled; do
            read -r rate _ _ failures < <(load $way $query "$seconds")
            [ "$failures" = 0 ]
            echo "$rate" >>"$query-$way"
        done
    done
done
head_of_table "$ratings ratings; $rounds rounds of $seconds s" \
    '| statements | responses a second, prepared | unprepared | behind PgBouncer |'
for query in one two write; do
    base=$(median <$query-prepared)
    cells=''
    for way in unprepared pooled; do
        rate=$(median <$query-$way)
        cells+=" $rate ($(awk -v a="$rate" -v b="$base" 'BEGIN { printf "%.2f", a / b }')) |"
    done
    echo "| $query | $base |$cells"
done
