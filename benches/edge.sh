#!/usr/bin/env bash
# The right edge of an index on time-ordered keys: single insertions by many clients, as a table:
#
#     TEST_DATABASE_URL=postgres://… benches/edge.sh [clients] [seconds] [rows]
#
# Three tables of the shape of `book_rating`, with an index on (rating, id): UUIDv7 keys, UUIDv4 keys, and UUIDv7 keys in 16
# partitions by hash. Each first gets so many rows, so that random keys meet an index of some size. Then so many clients insert
# a row in each transaction, without waiting for the disk, in three rounds in turns; the table has the medians. It says how often a
# sample of the sessions found one that waited for a page of an index or a table (LWLock:BufferContent), and the bytes of
# write-ahead log for each row. Needs psql, and pgbench beside PostgreSQL's other programs.
set -euo pipefail
clients=${1:-16} seconds=${2:-10} rows=${3:-1000000}
pgbench=$(ls /usr/lib/postgresql/*/bin/pgbench | sort -V | tail -n 1)
. "$(dirname "$0")/lib.sh"
create_database edge
one() { psql -qAtX -v ON_ERROR_STOP=1 "$made_url" -c "$1"; }

# A UUIDv7 of now: 48 bits of milliseconds, and random ones.
one "CREATE FUNCTION v7() RETURNS uuid LANGUAGE sql VOLATILE AS \$\$
    SELECT encode(set_byte(overlay(uuid_send(gen_random_uuid()) PLACING
        substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6),
        6, 112 + (random() * 15)::int), 'hex')::uuid \$\$"
columns='id uuid PRIMARY KEY, book_id uuid NOT NULL, rating smallint NOT NULL'
one "CREATE TABLE ordered ($columns);
    CREATE TABLE scattered ($columns);
    CREATE TABLE partitioned ($columns) PARTITION BY HASH (id)"
for part in {0..15}; do
    one "CREATE TABLE partitioned_$part PARTITION OF partitioned FOR VALUES WITH (MODULUS 16, REMAINDER $part)"
done
declare -A key=([ordered]='v7()' [scattered]='gen_random_uuid()' [partitioned]='v7()')
for table in ordered scattered partitioned; do
    one "CREATE INDEX ON $table (rating, id);
        INSERT INTO $table SELECT ${key[$table]}, gen_random_uuid(), 1 + i % 5 FROM generate_series(1, $rows) AS i"
    echo "INSERT INTO $table SELECT ${key[$table]}, gen_random_uuid(), 1 + random() * 4" >"$work/$table.sql"
    one "VACUUM ANALYZE $table"
done
one CHECKPOINT

waits() {
    local sampled=0 waiting=0 found
    while [ -e "$work/runs" ]; do
        found=$(one "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'BufferContent'")
        sampled=$((sampled + 1)) waiting=$((waiting + found))
        sleep 0.02
    done
    awk -v n="$sampled" -v w="$waiting" 'BEGIN { printf "%.2f", w / n }' >"$work/waits"
}

for round in 1 2 3; do
    for table in ordered scattered partitioned; do
        before=$(one 'SELECT pg_current_wal_insert_lsn()')
        count=$(one "SELECT count(*) FROM $table")
        touch "$work/runs"
        waits &
        rate=$(PGOPTIONS='-c synchronous_commit=off' "$pgbench" -n -c "$clients" -j 2 -T "$seconds" -M prepared \
            -f "$work/$table.sql" "$made_url" 2>/dev/null | sed -n 's/^tps = \([0-9]*\).*/\1/p')
        rm "$work/runs"
        wait
        bytes=$(one "SELECT ((pg_current_wal_insert_lsn() - '$before') / ((SELECT count(*) FROM $table) - $count))::int")
        echo "$rate $(cat "$work/waits") $bytes" >>"$work/$table.results"
    done
done

head_of_table "$clients clients; $seconds s; $rows rows before" \
    '| keys | rows/s | sessions that wait for a page | bytes of log for each row |'
for table in ordered scattered partitioned; do
    case $table in
        ordered) name='UUIDv7' ;;
        scattered) name='UUIDv4' ;;
        partitioned) name='UUIDv7, 16 partitions by hash' ;;
    esac
    echo "| $name | $(column "$work/$table.results" 1) | $(column "$work/$table.results" 2) | $(column "$work/$table.results" 3) |"
done
