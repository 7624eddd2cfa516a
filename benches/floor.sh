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
. "$(dirname "$0")/lib.sh"
find_program "$program"
# It has its own lock file, and its own folder so that neither build disturbs the other.
CARGO_TARGET_DIR=$target/floor cargo build --release --quiet --manifest-path "$here/floor/Cargo.toml"
floor=$(realpath "$target/floor/release")

cd "$work"

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

cursors() {
    case $1 in
    Nested) cursors_of_list bookends books $((ratings / 10)) ;;
    Ties) cursors_of_list bookends ratings "$ratings" "first: 1, $rated, where: { rating: { eq: STEP } }" ;;
    *) cursors_of_list bookends ratings "$ratings" ;;
    esac | sort --unique
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
                drive $name "$kind" "$seconds" >>"rounds.$([ $round -gt 0 ] && echo $name || echo warm)"
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
    seed "$url" "$ratings"
    DATABASE_URL=$url LISTEN=127.0.0.1:0 start bookends "$program"
    DATABASE_URL=$url start floor "$floor/$program_of_floor"
    compare "$database"
    stop
}

head_of_table "$ratings ratings; $rounds rounds of $seconds s" \
    '| database | page | floor, pages/s | Bookends | ratio | floor p99, ms | Bookends | ratio | floor, CPU µs + PostgreSQL | Bookends | failures |'
run SQLite "sqlite://$work/floor.db" floor-sqlite
if [ -n "${TEST_DATABASE_URL:-}" ]; then
    create_database floor
    run PostgreSQL "$made_url?sslmode=disable" floor-postgres
fi
