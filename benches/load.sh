#!/usr/bin/env bash
# What a server takes, and in how much memory, as a table:
#
#     benches/load.sh [program] [ratings] [seconds]
#
# A hundred different pages of 20 ratings with their books, by `rating DESC`, each amid ratings of the same value, over
# connections that are kept: 16 and 256. On SQLite, and on the PostgreSQL that TEST_DATABASE_URL names, in a database of its
# own. Without a program, the `dist` build. Needs Linux, wrk, curl and jq, and psql for PostgreSQL. wrk has the same cores: alone,
# a server takes more.
set -euo pipefail
program=${1:-} ratings=${2:-1000000} seconds=${3:-10}
. "$(dirname "$0")/lib.sh"
find_program "$program"
cd "$work"

page='query Page($after: String) {
  ratings(first: 20, after: $after, orderBy: [{ field: RATING, direction: DESC }]) {
    edges { cursor node { id rating createdAt book { id name } } }
    pageInfo { hasPreviousPage hasNextPage startCursor endCursor }
  }
}'

run() {
    local database=$1 url=$2 connections start middle rate median worst failures
    seed "$url" "$ratings"
    DATABASE_URL=$url LISTEN=127.0.0.1:0 start bookends "$program"
    cursors_of_ties bookends "$ratings" |
        jq --compact-output --raw-input --arg query "$page" '{ query: $query, variables: { after: . } }' >bodies
    # What is measured are pages, and not refusals.
    ask bookends "$(sed -n 50p bodies)" | jq --exit-status '.data.ratings.edges | length == 20' >/dev/null

    for connections in 16 256; do
        start=$(megabytes bookends)
        load bookends bodies "$seconds" "$connections" >result &
        sleep $((seconds / 2))
        middle=$(megabytes bookends)
        wait $!
        read -r rate median worst failures <result
        echo "| $database | $connections | $rate | $median ms | $worst ms | $failures | $start, $middle, $(megabytes bookends) MB |"
    done
    stop
}

head_of_table "$ratings ratings; $seconds s each" \
    '| database | connections | pages a second | p50 | p99 | failures | memory at the start, middle, end |'
run SQLite "sqlite://$work/load.db"
if [ -n "${TEST_DATABASE_URL:-}" ]; then
    create_database load
    run PostgreSQL "$made_url"
fi
