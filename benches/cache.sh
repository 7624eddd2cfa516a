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
. "$(dirname "$0")/lib.sh"
find_program "$program"
cd "$work"
settings=('mapped 1073741824 2' 'cache2 0 2' 'cache8 0 8' 'cache16 0 16' 'cache32 0 32' 'cache64 0 64')

export DATABASE_URL=sqlite://$work/cache.db LISTEN=127.0.0.1:0 ALLOW_SHARED_FILE=true
# The writes need a token. A server that has one from its settings shows none in its address.
export WRITE_TOKEN=the-token-of-the-bench
seed "$DATABASE_URL" "$ratings"

info='pageInfo { hasPreviousPage hasNextPage startCursor endCursor }'
edges='edges { cursor node { id rating book { name } } }'
declare -A page=(
    [Deep]="ratings(first: 10, after: \$after) { $edges $info }"
    [Hundred]="ratings(first: 100, after: \$after) { $edges $info }"
    [Nested]="books(first: 50, after: \$after) { nodes { id name ratings(first: 5) { nodes { id rating } $info } } $info }"
)

# One round of one server, while a client writes.
drive_beside_writes() {
    local writer=''
    if [ "$writes" -gt 0 ]; then
        while sleep "$(awk -v writes="$writes" 'BEGIN { print 1 / writes }')"; do ask "$1" "$rating" >/dev/null; done &
        writer=$!
    fi
    drive "$1" "$2" "$seconds"
    [ -z "$writer" ] || { kill "$writer"; wait "$writer" 2>/dev/null || true; }
}

# How often a page reads the file.
reads() {
    strace --quiet=all --follow-forks --summary-only --trace=pread64 --output=calls --attach="${server[$1]}" &
    local tracer=$! rate
    sleep 1
    read -r rate _ < <(load "$1" "bodies.$2" 2)
    kill -INT $tracer
    wait $tracer || true
    awk -v pages="$((rate * 2))" '$NF == "pread64" { calls = $4 } END { printf "%.1f", calls / pages }' calls
}

for setting in "${settings[@]}"; do
    read -r name mapped cache <<<"$setting"
    SQLITE_MMAP=$mapped SQLITE_CACHE=$((cache << 20)) start "$name" "$program"
done
book=$(ask mapped '{"query":"{ books(first: 1) { nodes { id } } }"}' | jq --raw-output '.data.books.nodes[0].id')
rating="{\"query\":\"mutation { rateBook(input: { bookId: \\\"$book\\\", rating: 3 }) { clientMutationId } }\"}"
head_of_table "$ratings ratings, $(($(stat --format=%s cache.db) >> 20)) MB; $rounds rounds of $seconds s; $writes writes a second" \
    '| page | setting | pages/s | p99, ms | CPU µs | reads of the file | MB of the process | failures |'
for kind in Deep Hundred Nested; do
    list='ratings '$ratings
    [ $kind != Nested ] || list='books '$((ratings / 10))
    # shellcheck disable=SC2086
    cursors_of_list mapped $list | jq --compact-output --raw-input --arg query "query $kind(\$after: String) { ${page[$kind]} }" \
        '{ query: $query, variables: { after: . } }' >"bodies.$kind"
    rm -f rounds.*
    for ((round = 0; round <= rounds; round++)); do
        for setting in "${settings[@]}"; do
            # The first round warms up.
            drive_beside_writes "${setting%% *}" "$kind" >>"$([ $round -gt 0 ] && echo rounds || echo warm).${setting%% *}"
        done
    done
    for setting in "${settings[@]}"; do
        name=${setting%% *}
        printf '| %s | %s | %d | %.1f | %.0f | %s | %d | %d |\n' "$kind" "$name" "$(column "rounds.$name" 1)" \
            "$(column "rounds.$name" 2)" "$(column "rounds.$name" 4)" "$(reads "$name" "$kind")" \
            "$(megabytes "$name")" \
            "$(awk '{ sum += $3 } END { print sum }' "rounds.$name")"
    done
done
