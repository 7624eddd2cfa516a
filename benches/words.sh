#!/usr/bin/env bash
# What the words of titles cost those who write books: this schema and that of one change earlier, in turns.
#
#     benches/words.sh program [postgres://user@host]
#
# Needs the shells `sqlite3` and `psql`, and pgbench. The last change of the schema must be that of the words.
set -euo pipefail
program=$(realpath "$1") server=${2:-postgres://postgres@127.0.0.1}
work=$(mktemp -d)
cd "$work"
trap 'for name in now before; do psql -q "$server/postgres" -c "DROP DATABASE IF EXISTS words_$name"; done; rm -rf "$work"' EXIT
for name in now before; do
    psql -q "$server/postgres" -c "CREATE DATABASE words_$name"
    for url in "sqlite://$name.db" "$server/words_$name?sslmode=disable"; do
        "$program" migrate up --database-url "$url" >/dev/null
        [ $name = now ] || "$program" migrate down --database-url "$url" >/dev/null
    done
done

id="CAST(x'017e12f080597d' || randomblob(1) || x'aa' || randomblob(7) AS BLOB)"
sqlite() {
    printf 'BEGIN;\n.timer on\n'
    echo "INSERT INTO book (id, name, year) WITH RECURSIVE t(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM t WHERE n < 10000)
        SELECT $id, 'The quiet ' || char(97 + n % 26) || 'anchor, of ' || char(97 + n % 23) || 'ort', 2000 FROM t;"
}
title="'The quiet ' || chr(97 + n % 26) || 'anchor, of ' || chr(97 + n % 23) || 'ort'"
echo '\set n random(1, 100000)' >one.sql
echo "INSERT INTO book (name, year) VALUES (${title//n %/:n %}, 2000);" >>one.sql
for round in 1 2 3; do
    for name in now before; do
        echo "SQLite, 10,000 books, $name: $(sqlite | sqlite3 "$name.db")"
        many="INSERT INTO book (name, year) SELECT $title, 2000 FROM generate_series(1, 20000) AS n"
        echo "PostgreSQL, 20,000 books, $name: $(printf '%s\n' '\timing on' "$many;" | psql -q "$server/words_$name" | tail -1)"
        echo "PostgreSQL, one by one, $name: $(pgbench -n -M prepared -c 2 -T 2 -f one.sql "$server/words_$name" 2>&1 | grep ^tps)"
    done
done
