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
# raises the normal client's p99 above 250 ms or that of the probes above 100 ms, fails a request of them, or leaves 64 MB more memory in each server, ten
# seconds later (twenty for two servers). Needs Linux, curl and jq, and psql for PostgreSQL. All of them share the cores. Up to
# 15,000 connections are opened, if the system allows as many files (`ulimit -Hn`).
set -euo pipefail
program=${1:-} ratings=${2:-1000000} seconds=${3:-10} attacks=${4:-}
here=$(cd "$(dirname "$0")" && pwd)
target=${CARGO_TARGET_DIR:-$here/../target}
if [ -z "$program" ]; then
    cargo build --profile dist --quiet --manifest-path "$here/../Cargo.toml"
    program=$target/dist/bookends
fi
program=$(realpath "$program")
# It has its own lock file, and its own folder so that neither build disturbs the other.
CARGO_TARGET_DIR=$target/siege cargo build --release --quiet --locked --manifest-path "$here/siege/Cargo.toml"
siege=$(realpath "$target/siege/release/siege")
if [ -n "${REPLICAS:-}" ]; then
    cargo build --quiet --locked --workspace --bin soak --manifest-path "$here/../Cargo.toml"
    soak=$(realpath "$target/debug/soak")
fi
ulimit -n "$(ulimit -Hn)"

work=$(mktemp -d)
cd "$work"
BOOKENDS_WRITE_TOKEN=$(od -An -N16 -tx1 /dev/urandom | tr -d ' ')
export BOOKENDS_WRITE_TOKEN
servers=() made='' replicated='' failed=0
end() {
    kill_servers
    # Its servers end with its input.
    [ -z "$replicated" ] || exec 8>&-
    wait
    [ -z "$made" ] || psql -q "$TEST_DATABASE_URL" -c "DROP DATABASE IF EXISTS $made WITH (FORCE)"
    rm -rf "$work"
}
kill_servers() {
    # They may still be at work, and then take long to stop.
    for server in "${servers[@]}"; do kill -KILL "$server" 2>/dev/null || failed=1; done
    for server in "${servers[@]}"; do wait "$server" 2>/dev/null || true; done
    servers=()
}
trap end EXIT

# The URL of the server with this number.
address() {
    sed -n 's/^open \(http:\/\/[^/ ]*\).*/\1/p' "log$1"
}

# The parts, separated by commas.
joined() {
    local IFS=,
    echo "$*"
}

# A cursor for each value of a rating, at each of twenty times from the beginning of the ratings to their end.
cursors() {
    local value step fields time
    for value in 1 2 3 4 5; do
        fields=''
        for step in {1..20}; do
            time=$(date --utc --date "2022-01-01 UTC + $((ratings * step / 21)) minutes" +%FT%TZ)
            fields+=" a$step: ratings(first: 1, where: { rating: { eq: $value } }, asOf: \\\"$time\\\","
            fields+=" orderBy: [{ field: RATING, direction: DESC }]) { edges { cursor } }"
        done
        curl -sSf "$address/graphql" --header 'Content-Type: application/json' --data "{\"query\": \"{ $fields }\"}" |
            jq --raw-output '.data[].edges[].cursor'
    done
}

# A third argument and those after it are PostgreSQL's URLs, for the program in benches/siege.
besiege() {
    local database=$1 url=$2 count=${count:-1} attack number addresses
    DATABASE_URL=$url "$program" seed --books $((ratings / 10)) --ratings "$ratings" --orders 0 >/dev/null
    rm -f places
    for attack in ${attacks:-$("$siege")}; do
        addresses=()
        for ((number = 0; number < count; number++)); do
            : >"log$number"
            DATABASE_URL=$url LISTEN=127.0.0.1:0 "$program" >"log$number" 2>"errors$number" &
            servers+=($!)
            until grep -q '^open ' "log$number"; do
                kill -0 $! || { cat "errors$number"; exit 1; }
                sleep 0.1
            done
            address=$(address "$number")
            addresses+=("${address#http://}")
        done
        [ -e places ] || cursors >places
        "$siege" "$database" "$(joined "${addresses[@]}")" "$(joined "${servers[@]}")" "$seconds" places "$attack" "${@:3}" \
            >table || failed=1
        grep '^|' table || tail errors*
        grep '^-' table >>faults || true
        kill_servers
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

echo "load average: $(cut -d' ' -f1-3 /proc/loadavg); $(nproc) cores; $ratings ratings; $seconds s each"
echo
echo '| database | attack | sent | got | normal client: requests | p50 | p99 | maximum | failures | probes: p99 | MB before, peak, after | work after the disconnect |'
echo '|---|---|---|---|---|---|---|---|---|---|---|---|'
: >faults
if [ -n "${REPLICAS:-}" ]; then
    besiege_replicas
    echo
    cat faults
    exit $failed
fi
besiege SQLite "sqlite://$work/siege.db"
if [ -n "${TEST_DATABASE_URL:-}" ]; then
    made=bookends_siege_$$
    psql -q "$TEST_DATABASE_URL" -c "CREATE DATABASE $made"
    besiege PostgreSQL "${TEST_DATABASE_URL%/*}/$made" "${TEST_DATABASE_URL%/*}/$made"
fi
echo
cat faults
exit $failed
