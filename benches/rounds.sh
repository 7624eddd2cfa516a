# What the benches share that measure servers in turns, by medians of rounds. To be sourced: `here` is this folder, and `seconds`
# the time of a round. It changes to a folder of its own, which is deleted at the end with the servers and with `made`, the
# database on the server that TEST_DATABASE_URL names.

work=$(mktemp -d)
cd "$work"
declare -A server=() address=()
made='' postmaster=''
end() {
    for name in "${!server[@]}"; do kill "${server[$name]}" 2>/dev/null || true; done
    wait
    [ -z "$made" ] || psql -q "$TEST_DATABASE_URL" -c "DROP DATABASE IF EXISTS $made WITH (FORCE)"
    rm -rf "$work"
}
trap end EXIT

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

stop() {
    for name in "${!server[@]}"; do
        kill "${server[$name]}"
        wait "${server[$name]}" || true
    done
    server=()
}

ask() {
    curl -sSf "${address[$1]}/graphql" --header 'Content-Type: application/json' \
        --header 'Accept: application/graphql-response+json' --data-binary "$2"
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
# One round of one server: pages a second, p99 in ms, failures, its time and PostgreSQL's for a page in µs.
drive() {
    local name=$1 kind=$2 own others rate p99 failures
    own=$(ticks "${server[$name]}") others=$(ticks postgres)
    wrk --threads 1 --connections 16 --duration "${seconds}s" --latency \
        --script "$here/load.lua" "${address[$name]}" -- "bodies.$kind" >result
    own=$(($(ticks "${server[$name]}") - own)) others=$(($(ticks postgres) - others))
    read -r _ rate _ p99 failures < <(grep '^result ' result)
    awk -v rate="$rate" -v p99="$p99" -v failures="$failures" -v own="$own" -v others="$others" -v hertz="$hertz" \
        -v seconds="$seconds" 'BEGIN { each = 1e6 / hertz / (rate * seconds + 1e-9)
            printf "%d %.2f %d %.1f %.1f\n", rate, p99, failures, own * each, others * each }'
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

# Creates the PostgreSQL database `made`, and finds the first of PostgreSQL's processes.
create_database() {
    made=$1
    psql -q "$TEST_DATABASE_URL" -c "CREATE DATABASE $made"
    postmaster=$(head -1 "$(psql -qAt "$TEST_DATABASE_URL" -c 'SHOW data_directory')/postmaster.pid" 2>/dev/null || true)
}
