#!/usr/bin/env bash
# Whether a page costs more the deeper it is, as a table of every order of every list:
#
#     benches/depth.sh [program] [rows] [depth] [rounds] [seconds] [orders]
#
# Pages of 10 over 16 connections that are kept. What is shown is their mean latency, and ratios within each round:
#
# - depth 0 is the page after the first row of the order. Its statement has the same shape as that of every page with a
#   cursor, so this is the ratio that has a target: at most 1.1.
# - depth N is the page after the row that N rows stand before, the middle of the list by default.
# - Without a cursor, the statement is shorter: it does not look for a row before the page.
#
# The three take turns on one server, whose first round warms up; medians of the rounds. An order has a row for each
# direction of each of its sorts, with the tie-breaker in both directions. A page backwards is the page forwards in the reversed
# order, which is a row of its own. `orders` is a regular expression for some of them: `ratings .*RATING`. On SQLite, and on the
# PostgreSQL that TEST_DATABASE_URL names, in a database of its own. Without a program, the `dist` build. Needs Linux, wrk,
# curl and jq, and psql for PostgreSQL. wrk has the same cores. Numbers mean something on a quiet machine only: the load average
# is shown first.
set -euo pipefail
program=${1:-} rows=${2:-2000000} depth=${3:-} rounds=${4:-3} seconds=${5:-3} wanted=${6:-.}
depth=${depth:-$((rows / 2))}
[ $((depth + 11)) -le "$rows" ] || { echo "$rows rows have no page of 10 after $depth others" >&2; exit 1; }
. "$(dirname "$0")/lib.sh"
find_program "$program"
cd "$work"

# The fields that a list is sorted by, from the schema; `RELEVANCE` is the order of a search.
fields() {
    "$program" schema | awk -v type="$1SortField" '/^enum / { within = $2 == type } within && /^\t[A-Z_]+$/ && $1 != "RELEVANCE" { print $1 }'
}

# Every list with each of its orders, as an argument.
orders() {
    local list type sorts
    for list in books:Book ratings:Rating orders:Order; do
        type=${list#*:} list=${list%:*}
        { fields "$type"; [ "$type" != Book ] || echo 'YEAR NAME'; } | while read -r sorts; do
            [ "$sorts" = CREATED_AT ] || sorts+=' CREATED_AT'
            directed '' $sorts | sed "s/^/$list /"
        done
    done
}

# These sorts in every combination of directions, after those that have theirs.
directed() {
    local before=$1 field=${2:-} direction
    if [ -z "$field" ]; then
        echo "[$before]"
        return
    fi
    shift 2
    for direction in ASC DESC; do
        directed "$before${before:+, }{ field: $field, direction: $direction }" "$@"
    done
}

# The cursor of the row that this many rows stand before.
cursor() {
    ask bookends "{\"query\": \"{ $1(first: 1, offset: $3, orderBy: $2) { edges { cursor } } }\"}" |
        jq --exit-status --raw-output '.data[].edges[0].cursor'
}

# The mean latency in ms, of pages a second over 16 connections.
latency() {
    awk -v rate="$(column "$1" 1)" 'BEGIN { printf "%.3f", 16000 / rate }'
}

measure() {
    local database=$1 list=$2 order=$3 query place after round
    query="query Page(\$after: String) { $list(first: 10, after: \$after, orderBy: $order) { edges { cursor node { id } }
        pageInfo { hasPreviousPage hasNextPage startCursor endCursor } } }"
    for place in none first deep; do
        case $place in
        none) after='' ;;
        first) after=$(cursor "$list" "$order" 0) ;;
        deep) after=$(cursor "$list" "$order" "$depth") ;;
        esac
        jq --null-input --compact-output --arg query "$query" --arg after "$after" \
            '{ query: $query, variables: { after: $after } }' >"bodies.$place"
        # What is measured are pages, and not refusals.
        ask bookends "$(cat "bodies.$place")" | jq --exit-status '.data[].edges | length == 10' >/dev/null
    done
    rm -f rounds.*
    for ((round = 0; round <= rounds; round++)); do
        for place in none first deep; do
            drive bookends $place "$seconds" >>"rounds.$([ $round -gt 0 ] && echo $place || echo warm)"
        done
    done
    # A higher rate is a lower latency.
    ratio rounds.first rounds.deep 1 >>ratios
    printf '| %s | %s | %s | %s | %s | **%.2f** | %s | %.2f | %d |\n' "$database" "$list" \
        "$(sed 's/{ field: //g; s/, direction://g; s/ }//g; s/[][]//g' <<<"$order")" \
        "$(latency rounds.first)" "$(latency rounds.deep)" "$(ratio rounds.first rounds.deep 1)" \
        "$(latency rounds.none)" "$(ratio rounds.none rounds.deep 1)" "$(awk '{ sum += $3 } END { print sum }' rounds.*)"
}

run() {
    local database=$1 url=$2 list order
    DATABASE_URL=$url "$program" seed --books "$rows" --ratings "$rows" --orders "$rows" >/dev/null
    # The cursors are found by their offsets, at any price.
    DATABASE_URL=$url LISTEN=127.0.0.1:0 MAX_OFFSET=$rows MAX_COMPLEXITY=$((rows + 50000)) start bookends "$program"
    while read -r list order; do
        measure "$database" "$list" "$order"
    done < <(orders | grep --extended-regexp "$wanted")
    stop
}

head_of_table "$rows rows, depth $depth; $rounds rounds of $seconds s" \
    '| database | list | order | depth 0, ms | depth N, ms | ratio | no cursor, ms | ratio | failures |'
run SQLite "sqlite://$work/depth.db"
if [ -n "${TEST_DATABASE_URL:-}" ]; then
    create_database depth
    run PostgreSQL "$made_url?sslmode=disable"
fi
echo
printf 'largest ratio: %.2f\n' "$(sort --numeric-sort ratios | tail -1)"
