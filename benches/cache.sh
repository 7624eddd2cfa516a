#!/usr/bin/env bash
# What pages of SQLite cost with the file mapped into memory, and without, with page caches of different sizes:
#
#     benches/cache.sh [program] [ratings] [rounds] [seconds] [writes]
#
# One server for each setting, all on one file. They take turns, over 16 connections that are kept; what is shown are
# medians of the rounds. Meanwhile a client adds this many ratings a second: a commit empties the page caches of the
# readers, and no mapping. Then strace counts how often a page reads the file. Without a program, the `dist` build. Needs
# Linux, wrk, curl, jq and strace. wrk has the same cores.
set -euo pipefail
program=${1:-} ratings=${2:-300000} rounds=${3:-3} seconds=${4:-3} writes=${5:-0}
here=$(cd "$(dirname "$0")" && pwd)
if [ -z "$program" ]; then
    cargo build --profile dist --quiet --manifest-path "$here/../Cargo.toml"
    program=${CARGO_TARGET_DIR:-$here/../target}/dist/bookends
fi
program=$(realpath "$program")
settings=('mapped 1073741824 2' 'cache2 0 2' 'cache8 0 8' 'cache16 0 16' 'cache32 0 32' 'cache64 0 64')

work=$(mktemp -d)
cd "$work"
declare -A server=() address=()
end() {
    for name in "${!server[@]}"; do kill "${server[$name]}" 2>/dev/null || true; done
    wait
    rm -rf "$work"
}
trap end EXIT
export DATABASE_URL=sqlite://$work/cache.db LISTEN=127.0.0.1:0 ALLOW_SHARED_FILE=true
# The writes need a token. A server that has one from its settings shows none in its address.
export BOOKENDS_WRITE_TOKEN=the-token-of-the-bench
"$program" seed --books $((ratings / 10)) --ratings "$ratings" --orders 0 >/dev/null

start() {
    : >"log.$1"
    SQLITE_MMAP=$2 SQLITE_CACHE=$(($3 << 20)) "$program" >"log.$1" 2>&1 &
    server[$1]=$!
    until grep -q '^open .' "log.$1"; do
        kill -0 "${server[$1]}" || { cat "log.$1"; exit 1; }
        sleep 0.1
    done
    address[$1]=$(sed -n 's/^open \(http:\/\/[^/ ]*\).*/\1/p' "log.$1")
}

ask() {
    curl -sSf "${address[$1]}/graphql" --header 'Content-Type: application/json' \
        --header "Authorization: Bearer $BOOKENDS_WRITE_TOKEN" --data-binary "$2"
}

info='pageInfo { hasPreviousPage hasNextPage startCursor endCursor }'
edges='edges { cursor node { id rating book { name } } }'
declare -A page=(
    [Deep]="ratings(first: 10, after: \$after) { $edges $info }"
    [Hundred]="ratings(first: 100, after: \$after) { $edges $info }"
    [Nested]="books(first: 50, after: \$after) { nodes { id name ratings(first: 5) { nodes { id rating } $info } } $info }"
)

# A hundred cursors, from the beginning of a list to its end.
cursors() {
    local step list=ratings start=2022-01-01 rows=$ratings time
    [ "$1" != Nested ] || list=books start=2020-01-01 rows=$((ratings / 10))
    for step in {1..100}; do
        time=$(date --utc --date "$start UTC + $((rows * step / 101)) minutes" +%FT%TZ)
        ask mapped "{\"query\": \"{ $list(last: 1, asOf: \\\"$time\\\") { edges { cursor } } }\"}" |
            jq --raw-output '.data[].edges[].cursor'
    done
}

# The time that a process has had, in clock ticks.
ticks() {
    sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'
}

load() {
    wrk --threads 1 --connections 16 --duration "$3s" --latency --script "$here/load.lua" "${address[$1]}" \
        -- "bodies.$2" | grep '^result '
}

hertz=$(getconf CLK_TCK)
# One round of one server: pages a second, p99 in ms, failures, µs of its time for a page.
drive() {
    local own rate p99 failures writer=''
    if [ "$writes" -gt 0 ]; then
        while sleep "$(awk -v writes="$writes" 'BEGIN { print 1 / writes }')"; do ask "$1" "$rating" >/dev/null; done &
        writer=$!
    fi
    own=$(ticks "${server[$1]}")
    read -r _ rate _ p99 failures < <(load "$1" "$2" "$seconds")
    own=$(($(ticks "${server[$1]}") - own))
    [ -z "$writer" ] || { kill "$writer"; wait "$writer" 2>/dev/null || true; }
    awk -v rate="$rate" -v p99="$p99" -v failures="$failures" -v own="$own" -v hertz="$hertz" -v seconds="$seconds" \
        'BEGIN { printf "%d %.2f %d %.1f\n", rate, p99, failures, own * 1e6 / hertz / (rate * seconds + 1e-9) }'
}

# How often a page reads the file.
reads() {
    strace --quiet=all --follow-forks --summary-only --trace=pread64 --output=calls --attach="${server[$1]}" &
    local tracer=$! rate
    sleep 1
    read -r _ rate _ < <(load "$1" "$2" 2)
    kill -INT $tracer
    wait $tracer || true
    awk -v pages="$((rate * 2))" '$NF == "pread64" { calls = $4 } END { printf "%.1f", calls / pages }' calls
}

column() {
    awk -v column="$2" '{ print $column }' "$1" | sort --numeric-sort |
        awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

for setting in "${settings[@]}"; do
    # shellcheck disable=SC2086
    start $setting
done
book=$(ask mapped '{"query":"{ books(first: 1) { nodes { id } } }"}' | jq --raw-output '.data.books.nodes[0].id')
rating="{\"query\":\"mutation { rateBook(input: { bookId: \\\"$book\\\", rating: 3 }) { clientMutationId } }\"}"
echo "load average: $(cut -d' ' -f1-3 /proc/loadavg); $(nproc) cores; $ratings ratings, $(($(stat --format=%s cache.db) >> 20)) MB;" \
    "$rounds rounds of $seconds s; $writes writes a second"
echo
echo '| page | setting | pages/s | p99, ms | CPU µs | reads of the file | MB of the process | failures |'
echo '|---|---|---|---|---|---|---|---|'
for kind in Deep Hundred Nested; do
    cursors "$kind" | jq --compact-output --raw-input --arg query "query $kind(\$after: String) { ${page[$kind]} }" \
        '{ query: $query, variables: { after: . } }' >"bodies.$kind"
    rm -f rounds.*
    for ((round = 0; round <= rounds; round++)); do
        for setting in "${settings[@]}"; do
            # The first round warms up.
            drive "${setting%% *}" "$kind" >>"$([ $round -gt 0 ] && echo rounds || echo warm).${setting%% *}"
        done
    done
    for setting in "${settings[@]}"; do
        name=${setting%% *}
        printf '| %s | %s | %d | %.1f | %.0f | %s | %d | %d |\n' "$kind" "$name" "$(column "rounds.$name" 1)" \
            "$(column "rounds.$name" 2)" "$(column "rounds.$name" 4)" "$(reads "$name" "$kind")" \
            "$(awk '/^RssAnon:/ { printf "%d", $2 / 1024 }' "/proc/${server[$name]}/status")" \
            "$(awk '{ sum += $3 } END { print sum }' "rounds.$name")"
    done
done
