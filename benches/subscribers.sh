#!/usr/bin/env bash
# How long an event takes until the last of many subscribers has it, and what each subscriber takes, as a table:
#
#     benches/subscribers.sh [program] [counts] [events]
#
# So many subscribers to `ratingAdded` (in one argument, `1000 10000` by default), a hundred at each address, over WebSockets and
# as event streams. Ratings are added one by one. What is shown are medians of the times from the mutation to the last receipt;
# what the server has allocated for each subscriber; and its processor time for each event and subscriber. The limit is a
# program that only writes the same bytes to as many sockets (benches/floor). The selection is the rating alone, which the event
# has, or also its book, which is read from the database. On SQLite, and on the PostgreSQL that TEST_DATABASE_URL names, in a
# database of its own. Without a program, the `dist` build. Needs Linux, curl and jq, and psql for PostgreSQL. The subscribers are
# one thread on the same cores. The system must allow as many open files (`ulimit -Hn`).
set -euo pipefail
program=${1:-} counts=${2:-1000 10000} events=${3:-10}
. "$(dirname "$0")/lib.sh"
find_program "$program"
build_floor
ulimit -n "$(ulimit -Hn)"
WRITE_TOKEN=the-token-of-the-bench
export WRITE_TOKEN

cd "$work"

selection() {
    case $1 in
    rating) echo 'subscription { ratingAdded { cursor node { id rating createdAt } } }' ;;
    book) echo 'subscription { ratingAdded { cursor node { id rating createdAt book { id name averageRating ratingCount } } } }' ;;
    esac
}

# The time of the last, the memory, the processor time and the bytes, of the server of this name.
subscribe() {
    "$floor/subscribers" "$2" "${address[$1]#http://}" "${server[$1]}" "$3" "$events" event "$(selection "$4")" \
        "${mutation:-}" "$WRITE_TOKEN"
}

run() {
    local count protocol what mutation last memory spent limit bytes limit_spent
    seed "$2" 10000
    for count in $counts; do
        for protocol in websocket sse; do
            for what in rating book; do
                # Half of each is for one client at most, and a subscription takes 32 KiB of the budget.
                DATABASE_URL=$2 LISTEN=127.0.0.1:0 MAX_WEBSOCKETS=40000 MAX_CONNECTIONS=40000 MAX_BUFFERED=4294967296 \
                    start bookends "$program"
                mutation=$(ask bookends '{ "query": "{ books(first: 1) { nodes { id } } }" }' | jq --compact-output '{
                    query: "mutation($id: ID!) { rateBook(input: { bookId: $id, rating: 4 }) { ratingEdge { cursor } } }",
                    variables: { id: .data.books.nodes[0].id } }')
                read -r last memory spent bytes < <(subscribe bookends $protocol "$count" $what)
                stop -KILL
                start limit "$floor/sockets" event "$count"
                read -r limit _ limit_spent _ < <(subscribe limit bare "$count" $what)
                stop -KILL
                echo "| $1 | $count | $protocol | $what | $bytes | $last | $limit | $(awk "BEGIN { printf \"%.1f\", $last / $limit }")" \
                    "| $memory | $spent | $limit_spent |"
            done
        done
    done
}

head_of_table "$events events" \
    '| database | subscribers | protocol | selection | bytes | until the last, ms | limit | ÷ limit | KiB for each | CPU µs for each | limit |'
run SQLite "sqlite://$work/bookshop.db"
if [ -n "${TEST_DATABASE_URL:-}" ]; then
    create_database subscribers
    run PostgreSQL "$made_url?sslmode=disable"
fi
