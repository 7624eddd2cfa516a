#!/usr/bin/env bash
# The mutations `rateBook` and `placeOrder` of the book shop beside hand-written servers (benches/floor), whose transactions do the
# same, in one run:
#
#     benches/writes.sh [program] [rows] [rounds] [seconds]
#
# As many ratings and orders, and a tenth as many books. Each server has a copy of the rows. First, each answers the same two
# hundred mutations: the responses must be the same bytes, but for ids, cursors and times of new rows, and so must the rows and
# the sums afterwards. Then the servers take turns, over 1 and over 16 connections that are kept, with mutations of a hundred
# books. What is shown are medians of the rounds, and of the ratios within each round. On SQLite, and on the PostgreSQL that
# TEST_DATABASE_URL names, in databases of its own. There, the floor awaits each statement; a second one, `pipelined`, sends all
# statements of a transaction at once. Without a program, the `dist` build. Needs Linux, wrk, curl, jq and sqlite3, and psql for
# PostgreSQL, whose processes must be visible. wrk has the same cores. Numbers mean something on a quiet machine only: the load
# average is shown first.
set -euo pipefail
program=${1:-} rows=${2:-100000} rounds=${3:-5} seconds=${4:-5}
. "$(dirname "$0")/lib.sh"
find_program "$program"
build_floor
WRITE_TOKEN=the-token-of-the-bench
export WRITE_TOKEN

cd "$work"

# What a client asks that shows the new edge in its list, and the book beside it.
document() {
    local sums book='bookId: $bookId'
    case $1 in
    rateBook)
        sums='id rating createdAt book { id name averageRating ratingCount }'
        echo "mutation RateBook(\$bookId: ID!, \$rating: Int!) {
            rateBook(input: { $book, rating: \$rating, orderBy: { field: RATING, direction: DESC } }) {
                ratingEdge { cursor node { $sums } } previousEdgeCursor } }"
        ;;
    placeOrder)
        sums='id totalPrice createdAt book { id name totalRevenue orderCount }'
        echo "mutation PlaceOrder(\$bookId: ID!, \$totalPrice: Decimal!) {
            placeOrder(input: { $book, totalPrice: \$totalPrice }) {
                orderEdge { cursor node { $sums } } previousEdgeCursor } }"
        ;;
    esac
}

# A mutation of each of a hundred books.
bodies() {
    ask bookends '{ "query": "{ books(first: 100) { nodes { id } } }" }' |
        jq --compact-output --arg query "$(document "$1")" '.data.books.nodes | to_entries[] | { query: $query, variables: {
            bookId: .value.id, rating: (1 + .key % 5), totalPrice: "\(10 + .key).\(10 + .key % 90)" } }
            | if $query | startswith("mutation RateBook") then del(.variables.totalPrice) else del(.variables.rating) end'
}

# The responses, less what differs from run to run. Of a cursor stays its order; and whether it is that of the last edge.
comparable() {
    jq --compact-output --null-input 'foreach inputs as $answer ({ cursor: null };
        { last: .cursor, $answer, cursor: ([$answer | .. | objects | .cursor // empty] | first) };
        .last as $last | .answer | walk(if type != "object" then . else
            (if has("createdAt") then .id |= "\(.[:2]) \(length)" | .createdAt |= length else . end)
            | (if has("cursor") then .cursor |= "\(.[:6]) \(length)" else . end)
            | (if has("previousEdgeCursor") and .previousEdgeCursor == $last then .previousEdgeCursor = "last" else . end)
        end))'
}

# What was written, less the ids.
effect() {
    local book=book_id rows_of
    [ "$1" = SQLite ] && book='hex(book_id)'
    rows_of="SELECT $book, rating_count, rating_sum, order_count, revenue_cents FROM book_stats ORDER BY 1;
        SELECT rating, $book, count(*) FROM book_rating GROUP BY 1, 2 ORDER BY 1, 2;
        SELECT total_price, $book, count(*) FROM book_order GROUP BY 1, 2 ORDER BY 1, 2;
        SELECT sum(rows) FROM book_rating_count; SELECT sum(rows) FROM book_order_count;"
    case $1 in
    SQLite) sqlite3 "${2#sqlite://}" "$rows_of" ;;
    *) psql -qAt "$2" --command "$rows_of" ;;
    esac
}

compare() {
    local kind name
    for kind in rateBook placeOrder; do
        bodies $kind >"bodies.$kind"
        for name in "${servers[@]}"; do
            while read -r body; do
                ask "$name" "$body"
                echo
            done <"bodies.$kind" >"answers.$name"
            comparable <"answers.$name" >found
            [ "$name" != bookends ] || cp found expected
            cmp expected found || { diff expected found | head -4; head -2 "answers.$name"; exit 1; }
        done
    done
    for name in "${servers[@]}"; do
        effect "$1" "${urls[$name]}" >found
        [ "$name" != bookends ] || cp found expected
        cmp expected found || { diff expected found | head; exit 1; }
    done
}

measure() {
    local kind connections name row
    for kind in rateBook placeOrder; do
        for name in "${servers[@]}"; do cp "bodies.$kind" "bodies.$name"; done
        for connections in 1 16; do
            drive_in_turns "${servers[@]}"
            row="$1 | $kind | $connections | $(column rounds.floor 1) | $(column rounds.bookends 1)"
            row+=$(printf ' | **%.2f**' "$(ratio rounds.bookends rounds.floor 1)")
            if [ -e rounds.pipelined ]; then
                row+=$(printf ' | %d | %.2f' "$(column rounds.pipelined 1)" "$(ratio rounds.bookends rounds.pipelined 1)")
            else
                row+=' | | '
            fi
            row+=$(printf ' | %.1f | %.1f | %.1f' "$(column rounds.floor 2)" "$(column rounds.bookends 2)" \
                "$(ratio rounds.bookends rounds.floor 2)")
            for name in "${servers[@]:1}" bookends; do
                row+=$(printf ' | %.0f + %.0f' "$(column "rounds.$name" 4)" "$(column "rounds.$name" 5)")
                # Where there is none.
                [ "$name $1" != 'floor SQLite' ] || row+=' | '
            done
            echo "| $row | $(cat rounds.* | awk '{ sum += $3 } END { print sum }') |"
        done
    done
}

# Bookends comes first: the others are compared with it.
run() {
    local name
    DATABASE_URL=${urls[bookends]} LISTEN=127.0.0.1:0 start bookends "$program"
    DATABASE_URL=${urls[floor]} start floor "$floor/$2" bookshop
    [ -z "${urls[pipelined]:-}" ] || DATABASE_URL=${urls[pipelined]} start pipelined "$floor/$2" bookshop pipelined
    compare "$1"
    measure "$1"
    stop
}

head_of_table "$rows rows; $rounds rounds of $seconds s" \
    '| database | mutation | connections | floor, writes/s | Bookends | ratio | pipelined | ratio | floor p99, ms | Bookends | ratio | floor, CPU µs + PostgreSQL | pipelined | Bookends | failures |'
declare -A urls=([bookends]=sqlite://$work/bookends.db [floor]=sqlite://$work/floor.db)
servers=(bookends floor)
seed "${urls[bookends]}" "$rows" "$rows"
cp bookends.db floor.db
run SQLite floor-sqlite
if [ -n "${TEST_DATABASE_URL:-}" ]; then
    servers=(bookends floor pipelined)
    create_database bookends
    first=$made
    urls[bookends]=$made_url?sslmode=disable
    seed "${urls[bookends]}" "$rows" "$rows"
    for name in floor pipelined; do
        create_database $name "$first"
        urls[$name]=$made_url?sslmode=disable
    done
    run PostgreSQL floor-postgres
fi
