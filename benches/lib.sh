# What the benches share. To be sourced. `work` is a folder of its own, which is deleted at the end with the servers and with
# the databases that were made on the server that TEST_DATABASE_URL names. A bench with more to end defines `cleanup`.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-$here/../target}")
work=$(mktemp -d)
declare -A server=() address=()
databases=() postmaster=''
end() {
    for name in "${!server[@]}"; do kill "${server[$name]}" 2>/dev/null || true; done
    if declare -F cleanup >/dev/null; then cleanup; fi
    wait
    for made in "${databases[@]}"; do psql -q "$TEST_DATABASE_URL" -c "DROP DATABASE IF EXISTS $made WITH (FORCE)"; done
    rm -rf "$work"
}
trap end EXIT

# Sets `program`: to this path, or without one to the `dist` build.
find_program() {
    program=$1
    if [ -z "$program" ]; then
        cargo build --profile dist --quiet --locked --manifest-path "$here/../Cargo.toml"
        program=$target/dist/bookshop
    fi
    program=$(realpath "$program")
}

# Sets `floor` to the folder of the hand-written servers. They have their own lock file, and their own folder so that neither build
# disturbs the other.
build_floor() {
    CARGO_TARGET_DIR=$target/floor cargo build --release --quiet --manifest-path "$here/floor/Cargo.toml"
    floor=$(realpath "$target/floor/release")
}

# The URL of a database of the server that TEST_DATABASE_URL names.
url_of() {
    local base=${TEST_DATABASE_URL%%\?*}
    echo "${base%/*}/$1"
}

# Finds the first of the processes of that server, if they are visible.
find_postmaster() {
    postmaster=$(head -1 "$(psql -qAt "$TEST_DATABASE_URL" -c 'SHOW data_directory')/postmaster.pid" 2>/dev/null || true)
}

# Fills the database at this URL with so many ratings, a tenth as many books, and so many orders.
seed() {
    DATABASE_URL=$1 "$program" seed --books $(($2 / 10)) --ratings "$2" --orders "${3:-0}" >/dev/null
}

# Starts the server of this name by this command, and waits until it serves.
start() {
    local name=$1
    shift
    : >"log.$name"
    "$@" >"log.$name" 2>&1 &
    server[$name]=$!
    until grep -q '^open .' "log.$name"; do
        kill -0 "${server[$name]}" || { cat "log.$name"; exit 1; }
        sleep 0.1
    done
    address[$name]=$(sed -n 's/^open \(http:\/\/[^/ ]*\).*/\1/p' "log.$name")
}

# Ends all servers by this signal. Fails if one has ended before.
stop() {
    local name status=0
    for name in "${!server[@]}"; do
        kill "${1:--TERM}" "${server[$name]}" || status=1
        wait "${server[$name]}" 2>/dev/null || true
    done
    server=()
    return $status
}

ask() {
    curl -sSf "${address[$1]}/graphql" --header 'Content-Type: application/json' \
        --header 'Accept: application/graphql-response+json' \
        ${WRITE_TOKEN:+--header "Authorization: Bearer $WRITE_TOKEN"} --data-binary "$2"
}

# The machine, and the head of a table with these columns.
head_of_table() {
    echo "load average: $(cut -d' ' -f1-3 /proc/loadavg); $(nproc) cores; $1"
    echo
    echo "$2"
    sed 's/[^|]\+/---/g' <<<"$2"
}

# A cursor for each value of a rating, at each of twenty times from the beginning of so many ratings to their end.
cursors_of_ties() {
    local value step fields time
    for value in 1 2 3 4 5; do
        fields=''
        for step in {1..20}; do
            time=$(date --utc --date "2022-01-01 UTC + $(($2 * step / 21)) minutes" +%FT%TZ)
            fields+=" a$step: ratings(first: 1, where: { rating: { eq: $value } }, asOf: \\\"$time\\\","
            fields+=" orderBy: [{ field: RATING, direction: DESC }]) { edges { cursor } }"
        done
        ask "$1" "{\"query\": \"{ $fields }\"}" | jq --raw-output '.data[].edges[].cursor'
    done
}

# A hundred cursors of a server, from the beginning of a list of so many rows to its end, each of the row that was the newest at
# some time. A row a minute.
cursors_of_list() {
    local step time start=2022-01-01 place=${4:-last: 1}
    [ "$2" != books ] || start=2020-01-01
    for step in {1..100}; do
        time=$(date --utc --date "$start UTC + $(($3 * step / 101)) minutes" +%FT%TZ)
        ask "$1" "{\"query\": \"{ $2(${place/STEP/$((1 + step % 5))}, asOf: \\\"$time\\\") { edges { cursor } } }\"}" |
            jq --raw-output '.data[].edges[].cursor'
    done
}

# What wrk gets from a server with the bodies in this file: pages a second, p50 and p99 in ms, failures. Over 16 connections, unless
# an argument or `connections` says how many.
load() {
    wrk --threads 1 --connections "${4:-${connections:-16}}" --duration "$3s" --latency \
        ${WRITE_TOKEN:+--header "Authorization: Bearer $WRITE_TOKEN"} \
        --script "$here/load.lua" "${address[$1]}" -- "$2" | sed -n 's/^result //p'
}

# The time that a process has had, or PostgreSQL's processes together, in clock ticks.
ticks() {
    if [ "$1" != postgres ]; then
        sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'
    elif [ -n "$postmaster" ]; then
        # Those that are there, and those that have ended.
        { sed 's/.*) //' "/proc/$postmaster/stat" | awk '{ print $14 + $15 }'
            for child in $(pgrep -P "$postmaster"); do
                sed 's/.*) //' "/proc/$child/stat" 2>/dev/null | awk '{ print $12 + $13 }'
            done; } | awk '{ sum += $1 } END { print sum }'
    else
        echo 0
    fi
}

hertz=$(getconf CLK_TCK)
# One round of one server, so many seconds: pages a second, p99 in ms, failures, its time and PostgreSQL's for a page in µs.
drive() {
    local name=$1 kind=$2 seconds=$3 own others rate p99 failures
    own=$(ticks "${server[$name]}") others=$(ticks postgres)
    read -r rate _ p99 failures < <(load "$name" "bodies.$kind" "$seconds")
    own=$(($(ticks "${server[$name]}") - own)) others=$(($(ticks postgres) - others))
    awk -v rate="$rate" -v p99="$p99" -v failures="$failures" -v own="$own" -v others="$others" -v hertz="$hertz" \
        -v seconds="$seconds" 'BEGIN { each = 1e6 / hertz / (rate * seconds + 1e-9)
            printf "%d %.2f %d %.1f %.1f\n", rate, p99, failures, own * each, others * each }'
}

# What the process of a server has allocated, in MB. What it maps of a SQLite file is the system's cache.
megabytes() {
    awk '/^RssAnon:/ { printf "%d", $2 / 1024 }' "/proc/${server[$1]}/status"
}

# What starts a server whose instructions are counted.
callgrind=(valgrind --quiet --tool=callgrind --callgrind-out-file=instructions.%p)

# Asks a server for each of the bodies in this file, over one connection. Further arguments are curl's.
ask_each() {
    local name=$1 bodies=$2
    shift 2
    jq --raw-input --raw-output --arg url "${address[$name]}/graphql" --arg token "${WRITE_TOKEN:-}" '"url = \($url)
        header = \"Content-Type: application/json\"
        header = \"Accept: application/graphql-response+json\"
        header = \"\(if $token == "" then "" else "Authorization: Bearer \($token)" end)\"
        data-binary = \(tojson)
        next"' "$bodies" | sed '$d' | curl --silent --show-error --config - "$@"
}

# The instructions of a server under callgrind for each page with the bodies in this file.
instructions_of() {
    callgrind_control --zero "${server[$1]}" >/dev/null 2>&1
    ask_each "$1" "$2" --fail-early --fail >/dev/null
    rm -f instructions.*
    callgrind_control --dump "${server[$1]}" >/dev/null 2>&1
    awk -v pages="$(wc -l <"$2")" '/^totals:/ { printf "%.0f\n", $2 / pages }' instructions.*
}

# As many rounds as `rounds` says of these servers in turns, each with its bodies and for `seconds`, in `rounds.NAME`. The first round
# warms up.
drive_in_turns() {
    local round name
    rm -f rounds.*
    for ((round = 0; round <= rounds; round++)); do
        for name in "$@"; do
            drive "$name" "$name" "$seconds" >>"rounds.$([ $round -gt 0 ] || echo warm.)$name"
        done
    done
}

median() {
    sort --numeric-sort | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'
}

column() {
    awk -v column="$2" '{ print $column }' "$1" | median
}

ratio() {
    paste "$1" "$2" | awk -v column="$3" '{ print ($column + 0) / ($(column + 5) + 1e-9) }' | median
}

# Creates the PostgreSQL database `made` at `made_url`, perhaps as a copy of another one, and finds the first of PostgreSQL's
# processes.
create_database() {
    made=bookends_$1_$$
    databases+=("$made")
    made_url=$(url_of "$made")
    psql -q "$TEST_DATABASE_URL" -c "CREATE DATABASE $made${2:+ TEMPLATE $2}"
    find_postmaster
}
