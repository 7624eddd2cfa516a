#!/usr/bin/env bash
# What pages of `book_rating` cost with and without partitions, as a table in Markdown:
#
#     benches/partitions.sh [ratings] [layout...]
#
# A layout is `plain`, or `hash` or `range` with a number of partitions: `hash-16`. `foreign-3` has three ranges, the first two of them
# behind postgres_fdw: in other databases of the same server. Each layout gets a database of its own on a server that this script
# starts, one after the other: 20,000,000 ratings take 8 GB.
# Needs the programs of PostgreSQL.
set -euo pipefail
ratings=${1:-100000}
layouts=("${@:2}")
[ ${#layouts[@]} -gt 0 ] || layouts=(plain hash-4 hash-16 hash-64 range-4 range-16 range-64)
port=${PGPORT:-54329}
books=$((ratings / 200 < 100 ? 100 : ratings / 200))
. "$(dirname "$0")/lib.sh"
cd "$here/.."
cargo build --profile dist --quiet --locked --workspace --bins

programs=$(printf '%s\n' /usr/lib/postgresql/*/bin | sort -V | tail -1)
owner=()
if [ "$(id -u)" = 0 ]; then
    owner=(runuser -u postgres --)
    chown postgres: "$work"
fi
cleanup() {
    (cd "$work"; "${owner[@]}" "$programs/pg_ctl" -D "$work/data" -m immediate stop >/dev/null)
}
(
    cd "$work"
    "${owner[@]}" "$programs/initdb" -D data -U postgres -A trust --no-sync --locale=C.UTF-8 --encoding=UTF8 >/dev/null
    settings="-k $work -p $port -c listen_addresses=127.0.0.1 -c fsync=off -c wal_level=minimal
        -c max_wal_senders=0 -c shared_buffers=2GB -c maintenance_work_mem=1GB -c max_wal_size=8GB -c autovacuum=off
        -c random_page_cost=1.1 -c shared_preload_libraries=pg_stat_statements"
    "${owner[@]}" "$programs/pg_ctl" -D data -l log -w -o "$(echo $settings)" start >/dev/null
)
server=postgres://postgres@127.0.0.1:$port

# The keys are spread over 640 days, whatever their number. Triggers and foreign keys are off while rows are loaded.
rows() {
    cat <<SQL
SET session_replication_role = replica;
SET synchronous_commit = off;
CREATE FUNCTION pg_temp.key(millis bigint, text) RETURNS uuid LANGUAGE sql IMMUTABLE AS
    \$\$ SELECT (lpad(to_hex(millis), 12, '0') || '7' || substr(\$2, 1, 3) || 'a' || substr(\$2, 4, 15))::uuid \$\$;
CREATE FUNCTION pg_temp.book(n bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS
    \$\$ SELECT pg_temp.key(1600000000000 + n, md5(n::text)) \$\$;
INSERT INTO book (id, name, year) SELECT pg_temp.book(n), 'Book ' || n, 2000 FROM generate_series(0, $books - 1) AS n;
CREATE TEMPORARY TABLE definitions AS
    SELECT indexrelid::regclass::text AS name, replace(pg_get_indexdef(indexrelid), ' ON ONLY ', ' ON ') AS definition
    FROM pg_index WHERE indrelid = 'book_rating'::regclass AND NOT indisprimary;
SELECT 'DROP INDEX ' || name FROM definitions \gexec
INSERT INTO book_rating (id, rating, book_id)
SELECT pg_temp.key(1640995200000 + n * 55296000000 / $ratings, md5(n::text)), 1 + abs(hashint8(n) % 5),
       pg_temp.book(abs(hashint8extended(n, 1) % $books))
FROM generate_series(0, $ratings::bigint - 1) AS n;
SELECT definition FROM definitions \gexec
VACUUM ANALYZE;
CHECKPOINT;
SQL
}

# The first ranges are on other servers, as in docs/partitions.md.
foreign() {
    local sql past start
    sql=$(cat docs/partitions/foreign.sql)
    for past in 1 2; do
        psql -q "$server/postgres" -c "CREATE DATABASE past_$past"
        psql -q -v ON_ERROR_STOP=1 "$server/past_$past" -f docs/partitions/foreign-remote.sql
        sql=${sql/"host 'past-$past.example', port '5432', dbname 'postgres'"/"host '127.0.0.1', port '$port', dbname 'past_$past', batch_size '1000'"}
        start=$(date -u -d "@$((1640995200 + 55296000 / 3 * past))" '+%F %TZ')
        sql=${sql//"'$((2024 + past))-01-01Z'"/"'$start'"}
    done
    echo "$sql"
    echo 'CREATE EXTENSION pg_stat_statements;'
}

partitions() {
    local scheme=$1 number=$2
    cat docs/partitions/procedures.sql
    if [ "$scheme" = foreign ]; then
        foreign
        return
    fi
    if [ "$scheme" = hash ]; then
        echo "CALL partitioning.prepare('book_rating', 'HASH (id)');"
        echo "CALL partitioning.add_hash('book_rating', $number);"
    else
        echo "CALL partitioning.prepare('book_rating', 'RANGE (id)');"
        starts=$(for ((n = 1; n < number; n++)); do echo "to_timestamp(1640995200 + 55296000.0 / $number * $n)"; done)
        echo "CALL partitioning.add_ranges('book_rating', $(paste -sd, <<<"$starts"));"
    fi
    echo "CALL partitioning.copy('book_rating'); CALL partitioning.swap('book_rating');"
}

head_of_table "$ratings ratings" \
    "| layout of $ratings ratings | page | rows read | buffers | locks | memory | median | with a generic plan |"
for layout in "${layouts[@]}"; do
    name=bench_${layout/-/_}
    psql -q "$server/postgres" -c "CREATE DATABASE $name"
    DATABASE_URL=$server/$name "$target/dist/bookshop" migrate up >/dev/null
    move() { partitions "${layout%-*}" "${layout#*-}" | psql -q -v ON_ERROR_STOP=1 "$server/$name"; }
    if [ "$layout" != plain ] && [ "$layout" != foreign-3 ]; then move; fi
    rows | psql -q -v ON_ERROR_STOP=1 "$server/$name" >/dev/null
    # Rows cannot be inserted into the others by way of the whole, which has triggers. So they are moved.
    if [ "$layout" = foreign-3 ]; then
        move
        psql -q "$server/$name" -c 'VACUUM ANALYZE book_rating_today'
        for past in 1 2; do
            psql -q "$server/past_$past" -c 'VACUUM ANALYZE'
            psql -q "$server/$name" -c "ANALYZE book_rating_past_$past"
        done
    fi
    "$target/dist/partitions" "$server/$name" "$layout"
    psql -q "$server/postgres" -c "DROP DATABASE $name"
    if [ "$layout" = foreign-3 ]; then
        for past in 1 2; do psql -q "$server/postgres" -c "DROP DATABASE past_$past"; done
    fi
done
