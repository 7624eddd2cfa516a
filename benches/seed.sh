#!/usr/bin/env bash
# How long `bookends seed` takes, beside the databases' own tools with the same rows, tables, indexes and triggers, in one
# run:
#
#     benches/seed.sh [postgres://user@host/any] [books ratings orders]
#
# Needs the shells `psql` and `sqlite3`. SQLite's `.import` cannot read a blob: there the rows come from the other database.
set -euo pipefail
server=${1:-postgres://postgres@127.0.0.1/postgres}
books=${2:-100000} ratings=${3:-1000000} orders=${4:-1000000}
cd "$(dirname "$0")/.."
cargo build --release --quiet
bookends=${CARGO_TARGET_DIR:-target}/release/bookends
[[ $bookends = /* ]] || bookends=$PWD/$bookends

work=$(mktemp -d)
cd "$work"
databases=(bookends_seed_a bookends_seed_b)
trap 'for name in "${databases[@]}"; do psql -q "$server" -c "DROP DATABASE IF EXISTS $name"; done; rm -rf "$work"' EXIT
for name in "${databases[@]}"; do psql -q "$server" -c "CREATE DATABASE $name"; done
seeded=${server%/*}/${databases[0]} copied=${server%/*}/${databases[1]}

seconds() {
    local start=$EPOCHREALTIME
    "$@" >/dev/null
    awk -v a="$start" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'
}
sizes=(--books "$books" --ratings "$ratings" --orders "$orders")
tables=(book book_rating book_order)
declare -A columns=([book]="id, name, year" [book_rating]="id, rating, book_id" [book_order]="id, total_price, book_id")

ours=$(seconds env DATABASE_URL="$seeded" "$bookends" seed "${sizes[@]}")
for table in "${tables[@]}"; do psql -q "$seeded" -c "\\copy (SELECT ${columns[$table]} FROM $table ORDER BY id) TO '$table.tsv'"; done
DATABASE_URL=$copied "$bookends" migrate up >/dev/null
copies=()
for table in "${tables[@]}"; do copies+=(-c "\\copy $table (${columns[$table]}) FROM '$table.tsv'"); done
copy() { psql -q "$copied" -c BEGIN "${copies[@]}" -c COMMIT; }
theirs=$(seconds copy)
echo "PostgreSQL: seed $ours s, \\copy $theirs s"

ours=$(seconds "$bookends" seed --database-url "sqlite://seeded.db" "${sizes[@]}")
DATABASE_URL=sqlite://copied.db "$bookends" migrate up >/dev/null
{
    echo '.bail on'
    echo "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; ATTACH 'seeded.db' AS seeded; BEGIN;"
    for table in "${tables[@]}"; do
        echo "INSERT INTO main.$table (${columns[$table]}) SELECT ${columns[$table]} FROM seeded.$table ORDER BY id;"
    done
    echo 'COMMIT;'
} >copy.sql
copy() { sqlite3 copied.db <copy.sql; }
theirs=$(seconds copy)
echo "SQLite: seed $ours s, INSERT ... SELECT $theirs s"
