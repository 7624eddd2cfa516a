#!/usr/bin/env bash
# Attacks on a server (benches/siege), each beside a normal client at another address, as a table:
#
#     benches/siege.sh [program] [ratings] [seconds] [attacks]
#
# Each attack lasts so many seconds, and has a server of its own with the default settings. `attacks` are the names of some,
# in one argument. On SQLite, and on the PostgreSQL that TEST_DATABASE_URL names, in a database of its own. Without a
# program, the release build. The exit status is 1 if an attack raises the normal client's p99 above 250 ms, fails one of its
# requests, or leaves the server with 64 MB more memory after ten seconds. Needs Linux, curl and jq, and psql for PostgreSQL.
# All of them share the cores. Up to 15,000 connections are opened, if the system allows as many files (`ulimit -Hn`).
set -euo pipefail
program=${1:-} ratings=${2:-1000000} seconds=${3:-10} attacks=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
target=${CARGO_TARGET_DIR:-$here/../target}
if [ -z "$program" ]; then
    cargo build --release --quiet --manifest-path "$here/../Cargo.toml"
    program=$target/release/bookends
fi
program=$(realpath "$program")
# It has its own lock file, and its own folder so that neither build disturbs the other.
CARGO_TARGET_DIR=$target/siege cargo build --release --quiet --locked --manifest-path "$here/siege/Cargo.toml"
siege=$(realpath "$target/siege/release/siege")
ulimit -n "$(ulimit -Hn)"

work=$(mktemp -d)
cd "$work"
BOOKENDS_WRITE_TOKEN=$(od -An -N16 -tx1 /dev/urandom | tr -d ' ')
export BOOKENDS_WRITE_TOKEN
server='' made='' failed=0
end() {
    [ -z "$server" ] || kill -KILL "$server" 2>/dev/null || true
    wait
    [ -z "$made" ] || psql -q "$TEST_DATABASE_URL" -c "DROP DATABASE IF EXISTS $made WITH (FORCE)"
    rm -rf "$work"
}
trap end EXIT

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
        curl -sSf "$address/graphql" --header 'Content-Type: application/json' --data "{\"query\": \"{ $fields }\"}" |
            jq --raw-output '.data[].edges[].cursor'
    done
}

# A third argument is PostgreSQL's URL, for the program in benches/siege.
besiege() {
    local database=$1 url=$2 attack
    DATABASE_URL=$url "$program" seed --books $((ratings / 10)) --ratings "$ratings" --orders 0 >/dev/null
    rm -f places
    for attack in ${attacks:-$("$siege")}; do
        : >log
        DATABASE_URL=$url LISTEN=127.0.0.1:0 "$program" >log 2>errors &
        server=$!
        until grep -q '^open ' log; do
            kill -0 $server || { cat errors; exit 1; }
            sleep 0.1
        done
        address=$(sed -n 's/^open \(http:\/\/[^/ ]*\).*/\1/p' log)
        [ -e places ] || cursors >places
        "$siege" "$database" "${address#http://}" $server "$seconds" places "$attack" "${@:3}" >table || failed=1
        grep '^|' table || tail errors
        grep '^-' table >>faults || true
        # It may still be at work, and then takes long to stop.
        kill -KILL $server || failed=1
        wait $server 2>/dev/null || true
        server=''
    done
}

echo "load average: $(cut -d' ' -f1-3 /proc/loadavg); $(nproc) cores; $ratings ratings; $seconds s each"
echo
echo '| database | attack | sent | got | normal client: requests | p50 | p99 | maximum | failures | MB before, peak, after | work after the disconnect |'
echo '|---|---|---|---|---|---|---|---|---|---|---|'
: >faults
besiege SQLite "sqlite://$work/siege.db"
if [ -n "${TEST_DATABASE_URL:-}" ]; then
    made=bookends_siege_$$
    psql -q "$TEST_DATABASE_URL" -c "CREATE DATABASE $made"
    besiege PostgreSQL "${TEST_DATABASE_URL%/*}/$made" "${TEST_DATABASE_URL%/*}/$made"
fi
echo
cat faults
exit $failed
