#!/usr/bin/env bash
# Bookends beside hand-written servers (benches/floor) that answer the same pages byte for byte, in one run:
#
#     benches/floor.sh [program] [rows] [rounds] [seconds]
#     benches/floor.sh --instructions [program] [rows]
#
# The book shop, whose keys are UUIDs, and `rivers`, the application of the tutorial, whose keys are integers. As many ratings, or
# cities, and a tenth as many books, or rivers. A hundred different places for each page, over 16 connections that are kept.
# The servers take turns; what is shown are medians of the rounds, and of the ratios within each round. The last figure is
# the ratio of `rivers` by that of the shop. On SQLite, and on the PostgreSQL that TEST_DATABASE_URL names, in databases of its
# own. Both servers map the SQLite file into memory. `rivers` is beside the program; if it is not there, the shop runs alone. Without a
# program, the `dist` builds. Needs Linux, wrk, curl, jq and sqlite3, and psql for PostgreSQL, whose processes must be visible. wrk has
# the same cores. Numbers mean something on a quiet machine only: the load average is shown first.
#
# The instructions of the servers do not depend on what else runs, and need Valgrind. Those of the kernel and of PostgreSQL, which both
# servers of a pair have, are not counted.
set -euo pipefail
counts=''
if [ "${1:-}" = --instructions ]; then
    counts=1
    shift
fi
program=${1:-} rows=${2:-1000000} rounds=${3:-5} seconds=${4:-5}
. "$(dirname "$0")/lib.sh"
if [ -z "$program" ]; then
    # Alone, so that it has the allocator: the shop's program names its own.
    cargo build --profile dist --quiet --locked --manifest-path "$here/../Cargo.toml" --package rivers \
        --features bookends-server/mimalloc
fi
find_program "$program"
build_floor

cd "$work"

applications=(bookshop rivers)
declare -A programs=([bookshop]=$program [rivers]=$(dirname "$program")/rivers)
[ -x "${programs[rivers]}" ] || applications=(bookshop)
declare -A parents=([bookshop]=books [rivers]=rivers) children=([bookshop]=ratings [rivers]=cities)
declare -A parent=([bookshop]=book [rivers]=river) number=([bookshop]=rating [rivers]=people)

# The order of the ties, with the direction of an enum.
sorted() {
    echo "orderBy: [{ field: ${number[$1]^^}, direction: DESC }]"
}

page() {
    local info='pageInfo { hasPreviousPage hasNextPage startCursor endCursor }'
    local edges="edges { cursor node { id ${number[$1]} ${parent[$1]} { name } } } $info"
    local each="${children[$1]}(first: 5) { nodes { id ${number[$1]} } pageInfo { hasPreviousPage hasNextPage } }"
    case $2 in
    Deep) echo "${children[$1]}(first: 10, after: \$after) { $edges }" ;;
    Ties) echo "${children[$1]}(first: 10, after: \$after, $(sorted "$1")) { $edges }" ;;
    Hundred) echo "${children[$1]}(first: 100, after: \$after) { $edges }" ;;
    Nested) echo "${parents[$1]}(first: 50, after: \$after) { nodes { id name $each } $info }" ;;
    esac
}

cursors() {
    case $1.$2 in
    bookshop.Nested) cursors_of_list bookshop books $((rows / 10)) ;;
    bookshop.Ties) cursors_of_list bookshop ratings "$rows" "first: 1, $(sorted bookshop), where: { rating: { eq: STEP } }" ;;
    bookshop.*) cursors_of_list bookshop ratings "$rows" ;;
    rivers.Nested) cursors_of_keys rivers rivers $((rows / 10)) ;;
    rivers.Ties) cursors_of_keys rivers cities "$rows" "$(sorted rivers)" ;;
    rivers.*) cursors_of_keys rivers cities "$rows" ;;
    esac | sort --unique
}

# A hundred cursors of a list whose keys are the first so many integers, from the beginning to the end.
cursors_of_keys() {
    local step
    for step in {1..100}; do
        ask "$1" "{\"query\": \"{ $2(where: { rowId: { eq: $(($3 * step / 101)) } }, ${4:-first: 1}) { edges { cursor } } }\"}" |
            jq --raw-output '.data[].edges[].cursor'
    done
}

# The rows of the shop, with other keys: both have the same pages.
fill_rivers() {
    local rivers='SELECT row_number() OVER (ORDER BY id), name, year FROM book'
    local cities="SELECT row_number() OVER (ORDER BY r.id), b.n, b.name, r.rating FROM book_rating r
        JOIN (SELECT id, name, row_number() OVER (ORDER BY id) AS n FROM book) b ON b.id = r.book_id"
    DATABASE_URL=$2 "${programs[rivers]}" migrate up >/dev/null
    case $1 in
    sqlite:*)
        sqlite3 "${2#sqlite://}" "ATTACH '${1#sqlite://}' AS shop; DELETE FROM city; DELETE FROM river;
            INSERT INTO river $rivers; INSERT INTO city $cities; ANALYZE"
        ;;
    *)
        psql -q "$2" --command 'TRUNCATE river, city'
        psql -q "$1" --command "COPY ($rivers) TO STDOUT" | psql -q "$2" --command 'COPY river FROM STDIN'
        psql -q "$1" --command "COPY ($cities) TO STDOUT" | psql -q "$2" --command 'COPY city FROM STDIN'
        psql -q "$2" --command ANALYZE --command 'VACUUM river' --command 'VACUUM city'
        ;;
    esac
}

compare() {
    local database=$1 kind name
    for kind in Deep Ties Hundred Nested; do
        for name in "${applications[@]}"; do
            cursors "$name" $kind | jq --compact-output --raw-input --arg query \
                "query $kind(\$after: String) { $(page "$name" $kind) }" '{ query: $query, variables: { after: . } }' >bodies
            while read -r body; do
                ask "$name" "$body" >expected
                ask "$name.floor" "$body" >found
                cmp expected found || { echo "$kind: $body"; head --bytes=600 expected; echo; head --bytes=600 found; exit 1; }
            done <bodies
            tee "bodies.$name.floor" <bodies >"bodies.$name"
        done
        rm -f rounds.*
        if [ -n "$counts" ]; then
            count "$database" $kind
            continue
        fi
        drive_in_turns "${applications[@]/%/.floor}" "${applications[@]}"
        for name in "${applications[@]}"; do
            printf '| %s | %s | %s | %d | %d | **%.2f** | %.1f | %.1f | %.1f | %.0f + %.0f | %.0f + %.0f | %d | %s |\n' \
                "$database" "$name" "$kind" \
                "$(column "rounds.$name.floor" 1)" "$(column "rounds.$name" 1)" "$(ratio "rounds.$name" "rounds.$name.floor" 1)" \
                "$(column "rounds.$name.floor" 2)" "$(column "rounds.$name" 2)" "$(ratio "rounds.$name" "rounds.$name.floor" 2)" \
                "$(column "rounds.$name.floor" 4)" "$(column "rounds.$name.floor" 5)" \
                "$(column "rounds.$name" 4)" "$(column "rounds.$name" 5)" \
                "$(cat rounds.{warm.,}"$name"{,.floor} | awk '{ sum += $3 } END { print sum }')" \
                "$([ "$name" = bookshop ] || ratio_of_ratios "$name" bookshop)"
        done
    done
}

# The ratio of one application by that of the other, within each round.
ratio_of_ratios() {
    paste rounds."$1"{,.floor} rounds."$2"{,.floor} |
        awk '{ printf "%.3f\n", $1 / ($6 + 1e-9) / ($11 / ($16 + 1e-9) + 1e-9) }' | median
}

# The instructions of each server for a page, when it has served all of them already.
count() {
    local name server_name
    for name in "${applications[@]}"; do
        for server_name in "$name.floor" "$name"; do
            instructions_of "$server_name" "bodies.$name" >"rounds.$server_name"
        done
        paste -d ' ' rounds."$name"{.floor,} rounds.bookshop{.floor,} | awk -v of="$1 | $name | $2" \
            '{ printf "| %s | %d | %d | **%.2f** | %.3f |\n", of, $1, $2, $1 / $2, $1 / $2 / ($3 / $4) }'
    done
}

run() {
    local database=$1 program_of_floor=$2 name
    declare -A urls=([bookshop]=$3 [rivers]=$4)
    seed "${urls[bookshop]}" "$rows"
    [ ${#applications[@]} = 1 ] || fill_rivers "${urls[bookshop]}" "${urls[rivers]}"
    for name in "${applications[@]}"; do
        DATABASE_URL=${urls[$name]} LISTEN=127.0.0.1:0 SQLITE_MMAP=$((1 << 30)) start "$name" ${counts:+"${callgrind[@]}"} "${programs[$name]}"
        DATABASE_URL=${urls[$name]} start "$name.floor" ${counts:+"${callgrind[@]}"} "$floor/$program_of_floor" "$name"
    done
    compare "$database"
    stop
}

if [ -n "$counts" ]; then
    head_of_table "$rows rows" '| database | application | page | floor, instructions | Bookends | ratio | ÷ bookshop |'
else
    head_of_table "$rows rows; $rounds rounds of $seconds s" \
        '| database | application | page | floor, pages/s | Bookends | ratio | floor p99, ms | Bookends | ratio | floor, CPU µs + PostgreSQL | Bookends | failures | ÷ bookshop |'
fi
run SQLite floor-sqlite "sqlite://$work/bookshop.db" "sqlite://$work/rivers.db"
if [ -n "${TEST_DATABASE_URL:-}" ]; then
    create_database floor
    shop="$made_url?sslmode=disable"
    create_database rivers
    run PostgreSQL floor-postgres "$shop" "$made_url?sslmode=disable"
fi
