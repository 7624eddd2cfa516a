#!/usr/bin/env bash
# What is flat and what grows, with connections, rows, tables and fields. A table of each, and a plot in docs/growth:
#
#     benches/growth.sh [part] [program] [largest power of ten] [rounds] [seconds]
#     benches/growth.sh drop
#
# - `connections`: 1, 4, 16, 64 and 256 of them, on SQLite and PostgreSQL.
# - `rows`: 10^4 ratings to 10^7, or to another power, and a tenth as many books. On PostgreSQL.
# - `tables`: 10, 100 and 1,000 of them, which the program `bookends` discovers. On PostgreSQL.
# - `fields`: documents of 10, 100 and 1,000 fields. On PostgreSQL.
#
# Without a part, all of them. Times are medians of the rounds, in which the servers take turns. Beside them stands work, which
# other load does not change: buffers and index entries that PostgreSQL counts, instructions of the server by Valgrind.
# TEST_DATABASE_URL names the PostgreSQL. Its databases `bench_growth_…` remain for the next run, because 10^7 ratings take ten
# minutes and 6 GB; `drop` deletes them. `bookends` is beside the program. Without a program, the `dist` builds. PLOTS is another
# folder for the plots. Needs Linux, wrk, curl, jq, psql, Valgrind and Python. The load generator has the same cores.
set -euo pipefail
export TZ=UTC
parts=(connections rows tables fields)
case ${1:-} in
connections | rows | tables | fields) parts=("$1") && shift ;;
drop) parts=() ;;
esac
program=${1:-} power=${2:-7} rounds=${3:-3} seconds=${4:-2}
: "${TEST_DATABASE_URL:?names a PostgreSQL server on which you may create databases}"
. "$(dirname "$0")/lib.sh"

# Sets `kept` to the URL of the database of this name. If it is not there, it is created and filled by a command, to which its URL
# is added.
keep() {
    local name=bench_growth_$1
    shift
    kept=$(url_of "$name")?sslmode=disable
    local comment="SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = '$name'"
    if [ "$(psql -qAt "$TEST_DATABASE_URL" -c "$comment")" != filled ]; then
        PGOPTIONS=--client-min-messages=warning psql -q "$TEST_DATABASE_URL" --set ON_ERROR_STOP=1 \
            -c "DROP DATABASE IF EXISTS $name" -c "CREATE DATABASE $name"
        "$@" "$kept"
        psql -q "$TEST_DATABASE_URL" -c "COMMENT ON DATABASE $name IS 'filled'"
    fi
}

if [ "${1:-}" = drop ]; then
    psql -qAt "$TEST_DATABASE_URL" -c "SELECT datname FROM pg_database WHERE datname LIKE 'bench\_growth\_%'" |
        while read -r name; do psql -q "$TEST_DATABASE_URL" -c "DROP DATABASE $name WITH (FORCE)"; done
    exit
fi

find_program "$program"
if [ -z "${1:-}" ]; then
    cargo build --profile dist --quiet --locked --manifest-path "$here/../Cargo.toml" --workspace --bin bookends
fi
bookends=$(dirname "$program")/bookends
plots=$(realpath "${PLOTS:-$here/../docs/growth}")
find_postmaster
cd "$work"

# So many ratings, by the shop's own migrations and growth/fill.sql.
fill_rows() {
    DATABASE_URL=$2 "$program" migrate up >/dev/null
    psql -q "$2" --variable rows="$1" --file "$here/growth/fill.sql"
}

# A body for each line of the input, which is the value of `$after`.
bodies() {
    jq --compact-output --raw-input --arg query "$1" '{ query: $query, variables: { after: . } }'
}

# A hundred cursors of a list of so many rows, a row a minute, from its beginning to its end: each of the newest row at some time.
# Twenty in a request.
places() {
    local list=$2 rows=$3 place=${4:-last: 1} start=2022-01-01 turn step fields
    [ "$list" != books ] || start=2020-01-01
    start=$(date --utc --date "$start UTC" +%s)
    for turn in {0..4}; do
        fields=''
        for step in {1..20}; do
            printf -v time '%(%FT%TZ)T' $((start + 60 * rows * (20 * turn + step) / 101))
            fields+=" a$step: $list(${place/STEP/$((1 + step % 5))}, asOf: \\\"$time\\\") { edges { cursor } }"
        done
        ask "$1" "{\"query\": \"{ $fields }\"}" | jq --raw-output '.data[].edges[].cursor'
    done
}

# Ends the bench if a response to one of these bodies has an error: what is measured are pages, and not refusals.
check() {
    local body
    head --lines="${3:-3}" "$2" | while read -r body; do
        ask "$1" "$body" | jq --exit-status 'has("errors") | not' >/dev/null || { echo "refused: ${body:0:300}" >&2; exit 1; }
    done
}

# So many seconds of a server over so many connections: requests a second; p50 and p99 in ms; failures; the time of the
# server and of PostgreSQL for a request in µs.
sample() {
    local own others rate
    # A process of PostgreSQL may end while its time is read.
    own=$(ticks "${server[$1]}") others=$(ticks postgres) || true
    read -r rate p50 p99 failures < <(wrk --threads 1 --connections "$3" --duration "${seconds}s" --timeout 60s --latency \
        --script "$here/growth/load.lua" "${address[$1]}" -- "$2" "$here/load.lua" | sed -n 's/^result //p')
    own=$(($(ticks "${server[$1]}") - own)) others=$(($(ticks postgres) - others)) || true
    awk -v rate="$rate" -v own="$own" -v others="$others" -v hertz="$hertz" -v seconds="$seconds" -v rest="$p50 $p99 $failures" \
        'BEGIN { each = 1e6 / hertz / (rate * seconds + 1e-9); print rate, rest, own * each, others * each }'
}

# Draws the points, lines of a name, an x and a y, separated by tabs.
plot() {
    python3 "$here/growth/plot.py" "$@" <"points.$part" >"$plots/$part.svg"
}

for part in "${parts[@]}"; do
    . "$here/growth/$part.sh"
    stop
    echo
done
