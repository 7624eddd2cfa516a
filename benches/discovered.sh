#!/usr/bin/env bash
# The program `bookends` over the tables of the book shop, which it discovers, beside the shop, which declares them, in one run:
#
#     benches/discovered.sh [rows] [rounds] [seconds]
#     benches/discovered.sh --instructions [rows]
#
# The pages are those of benches/floor.sh, at a hundred places each, and have the same rows and flags. The servers take turns; what
# is shown are medians of the rounds, and of the ratios within each round. With the `dist` builds, on SQLite, and on the PostgreSQL that
# TEST_DATABASE_URL names. Needs what benches/floor.sh needs.
set -euo pipefail
counts=''
if [ "${1:-}" = --instructions ]; then
    counts=1
    shift
fi
rows=${1:-1000000} rounds=${2:-5} seconds=${3:-5}
. "$(dirname "$0")/lib.sh"
find_program ''
cargo build --profile dist --quiet --locked --manifest-path "$here/../Cargo.toml" --workspace --bin bookends
cd "$work"

# The lists of each server.
declare -A ratings=([shop]=ratings [discovered]=bookRatings)
ties='orderBy: [{ field: RATING, direction: DESC }]'

list() {
    if [ "$2" = Nested ]; then echo books; else echo "${ratings[$1]}"; fi
}

page() {
    local info='pageInfo { hasPreviousPage hasNextPage startCursor endCursor }' list
    list=$(list "$1" "$2")
    local edges="edges { cursor node { id rating book { name } } } $info"
    case $2 in
    Deep) echo "$list(first: 10, after: \$after) { $edges }" ;;
    Ties) echo "$list(first: 10, after: \$after, $ties) { $edges }" ;;
    Hundred) echo "$list(first: 100, after: \$after) { $edges }" ;;
    Nested)
        local nested="${ratings[$1]}(first: 5) { nodes { id rating } pageInfo { hasPreviousPage hasNextPage } }"
        echo "$list(first: 50, after: \$after) { nodes { id name $nested } $info }"
        ;;
    esac
}

# The bodies of a hundred pages of a server, which have the same places on the other.
bodies() {
    local step last=$rows order='' list
    list=$(list "$1" "$2")
    case $2 in Ties) order=", $ties" ;; Nested) last=$((rows / 10)) ;; esac
    for step in {1..100}; do
        ask "$1" "{\"query\": \"{ $list(first: 1, offset: $((last * step / 101))$order) { edges { cursor } } }\"}" |
            jq --raw-output '.data[].edges[].cursor'
    done | jq --compact-output --raw-input --arg query "query $2(\$after: String) { $(page "$1" "$2") }" \
        '{ query: $query, variables: { after: . } }'
}

# The rows and the flags of all pages. Ids and cursors name the types.
shown() {
    local body
    while read -r body; do
        ask "$1" "$body"
    done <"bodies.$1" | jq --compact-output 'del(.. | .id?, .cursor?, .startCursor?, .endCursor?) | [.. | scalars]'
}

run() {
    local database=$1 name kind
    seed "$2" "$rows"
    DATABASE_URL=$2 LISTEN=127.0.0.1:0 start shop ${counts:+"${callgrind[@]}"} "$program"
    LISTEN=127.0.0.1:0 start discovered ${counts:+"${callgrind[@]}"} "$target/dist/bookends" "$2"
    for kind in Deep Ties Hundred Nested; do
        for name in shop discovered; do
            bodies "$name" $kind >"bodies.$name"
            shown "$name" >"shown.$name"
        done
        cmp shown.shop shown.discovered
        if [ -n "$counts" ]; then
            echo "$(instructions_of shop bodies.shop) $(instructions_of discovered bodies.discovered)" |
                awk -v of="$database | $kind" '{ printf "| %s | %d | %d | **%.3f** |\n", of, $1, $2, $1 / $2 }'
            continue
        fi
        drive_in_turns shop discovered
        printf '| %s | %s | %d | %d | **%.3f** | %.1f | %.1f | %d |\n' "$database" $kind \
            "$(column rounds.shop 1)" "$(column rounds.discovered 1)" "$(ratio rounds.discovered rounds.shop 1)" \
            "$(column rounds.shop 2)" "$(column rounds.discovered 2)" \
            "$(cat rounds.* | awk '{ sum += $3 } END { print sum }')"
    done
    stop
}

if [ -n "$counts" ]; then
    head_of_table "$rows rows" '| database | page | shop, instructions | discovered | ratio |'
else
    head_of_table "$rows rows; $rounds rounds of $seconds s" \
        '| database | page | shop, pages/s | discovered | ratio | shop p99, ms | discovered | failures |'
fi
run SQLite "sqlite://$work/bookshop.db"
if [ -n "${TEST_DATABASE_URL:-}" ]; then
    create_database discovered
    run PostgreSQL "$made_url?sslmode=disable"
fi
