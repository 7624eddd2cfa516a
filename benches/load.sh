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
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "$program" ]; then
    cargo build --profile dist --quiet --manifest-path "$here/../Cargo.toml"
    program=${CARGO_TARGET_DIR:-$here/../target}/dist/bookends
fi
program=$(realpath "$program")

work=$(mktemp -d)
cd "$work"
server='' made=''
end() {
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    wait
    [ -z "$made" ] || psql -q "$TEST_DATABASE_URL" -c "DROP DATABASE IF EXISTS $made"
    rm -rf "$work"
}
trap end EXIT

ask() {
    curl -sSf "$address/graphql" --header 'Content-Type: application/json' --data "$1"
}

# A cursor for each value of a rating, at each of twenty times from the beginning of the ratings to their end.
cursors() {
    local value step fields time
    for value in 1 2 3 4 5; do
        fields=''
        for step in {1..20}; do
            time=$(date --utc --date "2022-01-01 UTC + $((ratings * step / 21)) minutes" +%FT%TZ)
            fields+=" a$step: ratings(first: 1, where: { rating: { eq: $value } }, asOf: \\\"$time\\\","
            fields+=" orderBy: [{ field: RATING, direction: DESC }]) { edges { cursor } }"
        done
        ask "{\"query\": \"{ $fields }\"}" | jq --raw-output '.data[].edges[].cursor'
    done
}

page='query Page($after: String) {
  ratings(first: 20, after: $after, orderBy: [{ field: RATING, direction: DESC }]) {
    edges { cursor node { id rating createdAt book { id name } } }
    pageInfo { hasPreviousPage hasNextPage startCursor endCursor }
  }
}'

# What the process has allocated. What it maps of a SQLite file is the system's cache, and goes when memory is short.
megabytes() {
    awk '/^RssAnon:/ { printf "%d", $2 / 1024 }' "/proc/$server/status"
}

load() {
    local database=$1 url=$2 connections start middle rate median worst failures
    DATABASE_URL=$url "$program" seed --books $((ratings / 10)) --ratings "$ratings" --orders 0 >/dev/null
    DATABASE_URL=$url LISTEN=127.0.0.1:0 "$program" >log &
    server=$!
    until grep -q '^open ' log; do
        kill -0 $server
        sleep 0.1
    done
    address=$(sed -n 's/^open \(http:\/\/[^/ ]*\).*/\1/p' log)
    cursors | jq --compact-output --raw-input --arg query "$page" '{ query: $query, variables: { after: . } }' >bodies
    # What is measured are pages, and not refusals.
    ask "$(sed -n 50p bodies)" | jq --exit-status '.data.ratings.edges | length == 20' >/dev/null

    for connections in 16 256; do
        start=$(megabytes)
        wrk --threads 1 --connections "$connections" --duration "${seconds}s" --latency \
            --script "$here/load.lua" "$address" -- bodies >result &
        sleep $((seconds / 2))
        middle=$(megabytes)
        wait $!
        read -r _ rate median worst failures < <(grep '^result ' result)
        echo "| $database | $connections | $rate | $median ms | $worst ms | $failures | $start, $middle, $(megabytes) MB |"
    done
    kill $server
    wait $server
    server=''
}

echo '| database | connections | pages a second | p50 | p99 | failures | memory at the start, middle, end |'
echo '|---|---|---|---|---|---|---|'
load SQLite "sqlite://$work/load.db"
if [ -n "${TEST_DATABASE_URL:-}" ]; then
    made=bookends_load_$$
    psql -q "$TEST_DATABASE_URL" -c "CREATE DATABASE $made"
    load PostgreSQL "${TEST_DATABASE_URL%/*}/$made"
fi
