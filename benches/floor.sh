#!/usr/bin/env bash
# Bookends beside hand-written servers (benches/floor) that answer the same pages byte for byte, in one run:
#
#     benches/floor.sh [program] [ratings] [rounds] [seconds]
#
# A hundred different places for each page, over 16 connections that are kept. The servers take turns; what is shown are
# medians of the rounds, and of the ratios within each round. On SQLite, and on the PostgreSQL that TEST_DATABASE_URL
# names, in a database of its own. Without a program, the `dist` build. Needs Linux, wrk, curl and jq, and psql for
# PostgreSQL, whose processes must be visible. wrk has the same cores. Numbers mean something on a quiet machine only:
# the load average is shown first.
set -euo pipefail
program=${1:-} ratings=${2:-1000000} rounds=${3:-5} seconds=${4:-5}
here=$(cd "$(dirname "$0")" && pwd)
target=${CARGO_TARGET_DIR:-$here/../target}
if [ -z "$program" ]; then
    cargo build --profile dist --quiet --manifest-path "$here/../Cargo.toml"
    program=$target/dist/bookends
fi
program=$(realpath "$program")
# It has its own lock file, and its own folder so that neither build disturbs the other.
CARGO_TARGET_DIR=$target/floor cargo build --release --quiet --manifest-path "$here/floor/Cargo.toml"
floor=$(realpath "$target/floor/release")

. "$here/rounds.sh"

info='pageInfo { hasPreviousPage hasNextPage startCursor endCursor }'
edges='edges { cursor node { id rating book { name } } }'
rated='orderBy: [{ field: RATING, direction: DESC }]'
flags='pageInfo { hasPreviousPage hasNextPage }'
declare -A page=(
    [Deep]="ratings(first: 10, after: \$after) { $edges $info }"
    [Ties]="ratings(first: 10, after: \$after, $rated) { $edges $info }"
    [Hundred]="ratings(first: 100, after: \$after) { $edges $info }"
    [Nested]="books(first: 50, after: \$after) { nodes { id name ratings(first: 5) { nodes { id rating } $flags } } $info }"
)

# A hundred cursors, from the beginning of a list to its end: each of the row that was the newest at some time.
cursors() {
    local kind=$1 step list=ratings start=2022-01-01 rows=$ratings place time
    for step in {1..100}; do
        if [ "$kind" = Nested ]; then
            list=books start=2020-01-01 rows=$((ratings / 10))
        fi
        # A row a minute.
        time=$(date --utc --date "$start UTC + $((rows * step / 101)) minutes" +%FT%TZ)
        place='last: 1'
        [ "$kind" != Ties ] || place="first: 1, $rated, where: { rating: { eq: $((1 + step % 5)) } }"
        ask bookends "{\"query\": \"{ $list($place, asOf: \\\"$time\\\") { edges { cursor } } }\"}" |
            jq --raw-output '.data[].edges[].cursor'
    done | sort --unique
}

compare() {
    local database=$1 kind round name
    for kind in Deep Ties Hundred Nested; do
        cursors "$kind" | jq --compact-output --raw-input --arg query "query $kind(\$after: String) { ${page[$kind]} }" \
            '{ query: $query, variables: { after: . } }' >"bodies.$kind"
        while read -r body; do
            ask bookends "$body" >expected
            ask floor "$body" >found
            cmp expected found || { echo "$kind: $body"; head --bytes=600 expected; echo; head --bytes=600 found; exit 1; }
        done <"bodies.$kind"
        rm -f rounds.*
        for ((round = 0; round <= rounds; round++)); do
            for name in floor bookends; do
                # The first round warms up.
                drive $name "$kind" >>"rounds.$([ $round -gt 0 ] && echo $name || echo warm)"
            done
        done
        printf '| %s | %s | %d | %d | **%.2f** | %.1f | %.1f | %.1f | %.0f + %.0f | %.0f + %.0f | %d |\n' "$database" "$kind" \
            "$(column rounds.floor 1)" "$(column rounds.bookends 1)" "$(ratio rounds.bookends rounds.floor 1)" \
            "$(column rounds.floor 2)" "$(column rounds.bookends 2)" "$(ratio rounds.bookends rounds.floor 2)" \
            "$(column rounds.floor 4)" "$(column rounds.floor 5)" \
            "$(column rounds.bookends 4)" "$(column rounds.bookends 5)" \
            "$(awk '{ sum += $3 } END { print sum }' rounds.*)"
    done
}

run() {
    local database=$1 url=$2 program_of_floor=$3
    DATABASE_URL=$url "$program" seed --books $((ratings / 10)) --ratings "$ratings" --orders 0 >/dev/null
    DATABASE_URL=$url LISTEN=127.0.0.1:0 start bookends "$program"
    DATABASE_URL=$url start floor "$floor/$program_of_floor"
    compare "$database"
    stop
}

echo "load average: $(cut -d' ' -f1-3 /proc/loadavg); $(nproc) cores; $ratings ratings; $rounds rounds of $seconds s"
echo
echo '| database | page | floor, pages/s | Bookends | ratio | floor p99, ms | Bookends | ratio | floor, CPU µs + PostgreSQL | Bookends | failures |'
echo '|---|---|---|---|---|---|---|---|---|---|---|'
run SQLite "sqlite://$work/floor.db" floor-sqlite
if [ -n "${TEST_DATABASE_URL:-}" ]; then
    create_database bookends_floor_$$
    run PostgreSQL "${TEST_DATABASE_URL%/*}/$made?sslmode=disable" floor-postgres
fi
