#!/usr/bin/env bash
# Bookends beside hand-written servers (benches/floor) that answer the same pages byte for byte, in one run:
#
#     benches/floor.sh [program] [ratings] [rounds] [seconds]
#
# A hundred different places for each page, over 16 connections that are kept. The servers take turns; what is shown are
# medians of the rounds, and of the ratios within each round. On SQLite, and on the PostgreSQL that TEST_DATABASE_URL
# names, in a database of its own. Without a program, the release build. Needs Linux, wrk, curl and jq, and psql for
# PostgreSQL, whose processes must be visible. wrk has the same cores. Numbers mean something on a quiet machine only:
# the load average is shown first.
set -euo pipefail
program=${1:-} ratings=${2:-1000000} rounds=${3:-5} seconds=${4:-5}
here=$(cd "$(dirname "$0")" && pwd)
target=${CARGO_TARGET_DIR:-$here/../target}
if [ -z "$program" ]; then
    cargo build --release --quiet --manifest-path "$here/../Cargo.toml"
    program=$target/release/bookends
fi
program=$(realpath "$program")
# It has its own lock file, and its own folder so that neither build disturbs the other.
CARGO_TARGET_DIR=$target/floor cargo build --release --quiet --manifest-path "$here/floor/Cargo.toml"
floor=$(realpath "$target/floor/release")

work=$(mktemp -d)
cd "$work"
declare -A server=() address=()
made='' postmaster=''
end() {
    for name in "${!server[@]}"; do kill "${server[$name]}" 2>/dev/null || true; done
    wait
    [ -z "$made" ] || psql -q "$TEST_DATABASE_URL" -c "DROP DATABASE IF EXISTS $made WITH (FORCE)"
    rm -rf "$work"
}
trap end EXIT

start() {
    local name=$1
    shift
    : >"log.$name"
    "$@" >"log.$name" 2>&1 &
    server[$name]=$!
    until grep -q '^open .' "log.$name"; do
        kill -0 "${server[$name]}" || { cat "log.$name"; exit 1; }
        sleep 0.1
    done
    address[$name]=$(sed -n 's/^open \(http:\/\/[^/ ]*\).*/\1/p' "log.$name")
}

stop() {
    for name in "${!server[@]}"; do
        kill "${server[$name]}"
        wait "${server[$name]}" || true
    done
    server=()
}

ask() {
    curl -sSf "${address[$1]}/graphql" --header 'Content-Type: application/json' \
        --header 'Accept: application/graphql-response+json' --data-binary "$2"
}

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

# The time that a process has had, or PostgreSQL's processes together, in clock ticks.
ticks() {
    if [ "$1" != postgres ]; then
        sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'
    elif [ -n "$postmaster" ]; then
        # Those that are there, and those that have ended.
        { sed 's/.*) //' "/proc/$postmaster/stat" | awk '{ print $14 + $15 }'
            for child in $(pgrep -P "$postmaster"); do
                sed 's/.*) //' "/proc/$child/stat" 2>/dev/null | awk '{ print $12 + $13 }'
            done; } | awk '{ sum += $1 } END { print sum }'
    else
        echo 0
    fi
}

hertz=$(getconf CLK_TCK)
# One round of one server: pages a second, p99 in ms, failures, its time and PostgreSQL's for a page in µs.
drive() {
    local name=$1 kind=$2 own others rate p99 failures
    own=$(ticks "${server[$name]}") others=$(ticks postgres)
    wrk --threads 1 --connections 16 --duration "${seconds}s" --latency \
        --script "$here/load.lua" "${address[$name]}" -- "bodies.$kind" >result
    own=$(($(ticks "${server[$name]}") - own)) others=$(($(ticks postgres) - others))
    read -r _ rate _ p99 failures < <(grep '^result ' result)
    awk -v rate="$rate" -v p99="$p99" -v failures="$failures" -v own="$own" -v others="$others" -v hertz="$hertz" \
        -v seconds="$seconds" 'BEGIN { each = 1e6 / hertz / (rate * seconds + 1e-9)
            printf "%d %.2f %d %.1f %.1f\n", rate, p99, failures, own * each, others * each }'
}

median() {
    sort --numeric-sort | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

column() {
    awk -v column="$2" '{ print $column }' "$1" | median
}

ratio() {
    paste "$1" "$2" | awk -v column="$3" '{ print ($column + 0) / ($(column + 5) + 1e-9) }' | median
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
    made=bookends_floor_$$
    psql -q "$TEST_DATABASE_URL" -c "CREATE DATABASE $made"
    folder=$(psql -qAt "$TEST_DATABASE_URL" -c 'SHOW data_directory')
    postmaster=$(head -1 "$folder/postmaster.pid" 2>/dev/null || true)
    run PostgreSQL "${TEST_DATABASE_URL%/*}/$made?sslmode=disable" floor-postgres
fi
