#!/usr/bin/env bash
# Attacks on a server (benches/siege), each beside a normal client and probes at other addresses, as a table. Those with a number
# come from so many addresses:
#
#     benches/siege.sh [program] [ratings] [seconds] [attacks]
#
# Each attack lasts `seconds`, and has a server of its own with the default settings. `attacks` are the names of some, in one
# argument. On SQLite, and on the PostgreSQL that TEST_DATABASE_URL names, in a database of its own. With REPLICAS=1, it
# attacks two servers instead, on a primary and two streaming replicas that it starts. These share the cores, so
# DATABASE_CONNECTIONS is 4 then, unless it is set. Without a program, the `dist` build. The exit status is 1 if an attack
# raises the normal client's p99 above 250 ms or that of `/health` above 100 ms or of `/ready` above 250 ms, fails a request of them, or leaves 64 MB more memory in each server, ten
# seconds later (twenty for two servers). Needs Linux, curl and jq, and psql for PostgreSQL. All of them share the cores. Up to
# 15,000 connections are opened, if the system allows as many files (`ulimit -Hn`).
set -euo pipefail
program=${1:-} ratings=${2:-1000000} seconds=${3:-10} attacks=${4:-}
. "$(dirname "$0")/lib.sh"
find_program "$program"
# It has its own lock file, and its own folder so that neither build disturbs the other.
CARGO_TARGET_DIR=$target/siege cargo build --release --quiet --locked --manifest-path "$here/siege/Cargo.toml"
siege=$(realpath "$target/siege/release/siege")
if [ -n "${REPLICAS:-}" ]; then
    cargo build --quiet --locked --workspace --bin soak --manifest-path "$here/../Cargo.toml"
    soak=$(realpath "$target/debug/soak")
fi
ulimit -n "$(ulimit -Hn)"

cd "$work"
WRITE_TOKEN=$(od -An -N16 -tx1 /dev/urandom | tr -d ' ')
export WRITE_TOKEN
replicated='' failed=0
cleanup() {
    # They may still be at work, and then take long to stop.
    for name in "${!server[@]}"; do kill -KILL "${server[$name]}" 2>/dev/null || true; done
    # Its servers end with its input.
    [ -z "$replicated" ] || exec 8>&-
}

# The parts, separated by commas.
joined() {
    local IFS=,
    echo "$*"
}

# A third argument and those after it are PostgreSQL's URLs, for the program in benches/siege.
besiege() {
    local database=$1 url=$2 count=${count:-1} attack number addresses processes
    seed "$url" "$ratings"
    rm -f places
    for attack in ${attacks:-$("$siege")}; do
        addresses=() processes=()
        for ((number = 0; number < count; number++)); do
            DATABASE_URL=$url LISTEN=127.0.0.1:0 start $number "$program"
            addresses+=("${address[$number]#http://}") processes+=("${server[$number]}")
        done
        [ -e places ] || cursors_of_ties 0 "$ratings" >places
        "$siege" "$database" "$(joined "${addresses[@]}")" "$(joined "${processes[@]}")" "$seconds" places "$attack" "${@:3}" \
            >table || failed=1
        grep '^|' table || tail log.*
        grep '^-' table >>faults || true
        stop -KILL || failed=1
    done
}

# Two servers, a primary and two replicas.
besiege_replicas() {
    mkfifo urls input
    "$soak" replicate <input >urls &
    exec 8>input
    replicated=1
    local url replicas
    { read -r url && read -r replicas; } <urls
    count=2 DATABASE_CONNECTIONS=${DATABASE_CONNECTIONS:-4} DATABASE_REPLICA_URLS=$replicas \
        besiege 'two servers, a primary, two replicas' "$url" "$url" ${replicas//,/ }
}

head_of_table "$ratings ratings; $seconds s each" \
    '| database | attack | sent | got | normal client: requests | p50 | p99 | maximum | failures | /health: p99 | /ready: p99 | MB before, peak, after | work after the disconnect |'
: >faults
if [ -n "${REPLICAS:-}" ]; then
    besiege_replicas
    echo
    cat faults
    exit $failed
fi
besiege SQLite "sqlite://$work/siege.db"
if [ -n "${TEST_DATABASE_URL:-}" ]; then
    create_database siege
    besiege PostgreSQL "$made_url" "$made_url"
fi
echo
cat faults
exit $failed
