#!/usr/bin/env bash
# Bookends beside other servers that page over SQL. Builds and installs all of them, makes the rows, compares every answer with SQL's,
# and measures those that are right:
#
#     TEST_DATABASE_URL=postgres://postgres@127.0.0.1:5432/postgres benches/peers/run.sh [options] [tracks] [seconds]
#
#     --peers bookends,postgraphile      only these, by the names of their folders
#     --workloads Deep,Ties              only these
#     --check                            with few rows and without speeds: fails if a peer is wrong. Without --peers, of Bookends and
#                                        the hand-written server
#     --out FOLDER                       where the logs and the report go
#
# Tracks are 1,000,000 and seconds 5, if absent; fewer than 20,000 tracks are too few for some workloads. Needs Linux, bash, psql,
# Python 3.11 with venv, and Cargo; npm for PostGraphile; wrk for speeds. What is built stays in PEERS_BUILD, a folder in the target
# folder, for the next run. BOOKENDS names a program that is there already. The database is made and dropped again: the user of
# TEST_DATABASE_URL may create databases. docs/benchmark.md has a run, and says what is measured how.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
target=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-$here/../../target}")
export CARGO_TARGET_DIR=$target BUILD=${PEERS_BUILD:-$target/peers} PYTHONDONTWRITEBYTECODE=1
peers='' workloads='' check='' out=''
while [[ ${1:-} == --* ]]; do
    case $1 in
    --peers) peers=$2 && shift 2 ;;
    --workloads) workloads=$2 && shift 2 ;;
    --out) out=$2 && shift 2 ;;
    --check) check=--check && shift ;;
    *) sed -n '/^#  /p' "$0" && exit 2 ;;
    esac
done
if [ -n "$check" ]; then
    peers=${peers:-bookends,handwritten}
fi
peers=${peers:-bookends,handwritten,postgraphile,seaography,strawberry,paginator}
rows=${1:-$([ -n "$check" ] && echo 20000 || echo 1000000)} seconds=${2:-5}
out=${out:-$BUILD/out}
mkdir -p "$BUILD" "$out"

# The ejected project names the database: with the same name, it need not be built again.
database=bench_peers_rows
url=${TEST_DATABASE_URL%%\?*}
export DATABASE_URL=${url%/*}/$database
# The order of text is that of its bytes, whatever the system's language is.
psql -q "$TEST_DATABASE_URL" -c "CREATE DATABASE $database TEMPLATE template0 LOCALE 'C' ENCODING 'UTF8'"
trap 'psql -q "$TEST_DATABASE_URL" -c "DROP DATABASE IF EXISTS $database WITH (FORCE)"' EXIT
psql -qX -v ON_ERROR_STOP=1 "$DATABASE_URL" -f "$here/schema.sql"

# What follows a space is the argument of `peer.sh`: `bookends` is two peers.
names=()
IFS=, read -ra folders <<<"$peers"
for name in "${folders[@]}"; do
    if [ "$name" = bookends ]; then names+=('bookends discovered' 'bookends declared'); else names+=("$name"); fi
done
for name in "${names[@]}"; do
    echo "builds: $name" >&2
    read -r folder variant <<<"$name"
    "$here/$folder/peer.sh" build ${variant:+"$variant"}
done
psql -qX -v ON_ERROR_STOP=1 -v rows="$rows" "$DATABASE_URL" -f "$here/rows.sql" -c 'VACUUM ANALYZE'
python3 "$here/bench.py" --database "$DATABASE_URL" --rows "$rows" --seconds "$seconds" --peers "$(IFS=, && echo "${names[*]}")" \
    --workloads "$workloads" --out "$out" $check
