#!/usr/bin/env bash
# Compares what a request costs with its record, in figures that do not depend on time:
#
#     benches/guards.sh                   # fails if a figure rose
#     benches/guards.sh --record          # writes the records, benches/guards.txt
#     benches/guards.sh --system-calls    # compares these alone, without an optimised build
#
# Statements, messages, round trips, and the bytes of a page may not rise at all. Instructions, allocations, and the bytes that a mutation sends
# and receives may rise by 3 %. System calls may rise by a tenth and by one: a message that is read in two parts takes one more.
# Record what a change is meant to cost, and what it saves: a record that is too high hides the next rise. The tests compare
# everything but instructions and system calls: `cargo test --test counts`.
#
# Needs Linux on x86-64, strace, valgrind, gungraun-runner, curl, jq, psql, and PostgreSQL in TEST_DATABASE_URL.
#
# The instructions are those of all threads, in Rust, C and the C library. Valgrind shows every machine with AVX2 the same
# processor, so code that asks for its features takes the same path. One thread runs at a time, on one core: how often one
# waits for another is then the same in each run. What is left is the hashing of maps, which is random: between runs the
# figures differ by up to 1 %. SQLite and the allocator are C: where the C compiler, the C library or Valgrind is another
# one, the instructions may rise by 15 %.
#
# System calls are those of a whole server. Left out are those by which threads wait for each other and for clients.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
cd "$here/.."
records=benches/guards.txt
: "${TEST_DATABASE_URL:?names no PostgreSQL}"
if [ "$(uname -sm)" != 'Linux x86_64' ]; then
    echo "expected Linux on x86-64, where the instructions are recorded" >&2
    exit 1
fi
[ -e $records ] || [ "${1:-}" = --record ] || { echo "no records: $records" >&2; exit 1; }
# The tests have them in their program.
touch $records
version=$(sed -n '/^name = "gungraun-runner"$/{n;s/.*"\(.*\)"/\1/p}' Cargo.lock)
if [ "${1:-}" != --system-calls ] && [ "$(gungraun-runner --version 2>/dev/null)" != "gungraun-runner $version" ]; then
    echo "expected a gungraun-runner of version $version: cargo install --locked gungraun-runner@$version" >&2
    exit 1
fi
figures=$work/figures
# Without it, the other cores decide which of two threads goes on: up to 7 % of the instructions of a page of 100.
core=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)

# The difference of two runs, by the difference of their requests.
instructions() {
    # The profile of benches has no optimisation across crates, unlike `dist`: it takes minutes, and changes the figures from one
    # place to the next.
    cargo bench --locked --quiet --workspace --bench instructions --no-run
    GUNGRAUN_HOME=$work/gungraun \
        taskset --cpu-list "$core" cargo bench --locked --quiet --workspace --bench instructions -- --save-summary=json >"$work/log" ||
        { cat "$work/log" >&2; return 1; }
    find "$work/gungraun" -name summary.json -exec cat {} + | jq --raw-output --slurp '
        map((.id | split("_")) as [$name, $requests]
            | { name: $name, requests: ($requests | tonumber), count: .profiles[0].data.total.metrics.Ir.values.new })
        | group_by(.name)[] | sort_by(.requests)
        | "\(.[0].name).instructions \((.[1].count - .[0].count) / (.[1].requests - .[0].requests) | round)"'
}

# The system calls of a server while it answers the body so many times.
calls() {
    local name=$1 count=$2 tracer
    strace --follow-forks --summary-only --summary-columns=calls,name --output="$work/calls" --attach="${server[$name]}" 2>"$work/attached" &
    tracer=$!
    until grep --quiet attached "$work/attached"; do
        kill -0 $tracer || { cat "$work/attached" >&2; return 1; }
        sleep 0.1
    done
    ask_each "$name" <(yes "$(<"$work/body")" | head -n "$count") --fail-early --fail >"$work/answers"
    # The events have been sent, too.
    sleep 0.2
    kill -INT $tracer
    wait $tracer || true
    if grep --quiet '"errors"' "$work/answers"; then cat "$work/answers" >&2; return 1; fi
    awk '$1 ~ /^[0-9]+$/ && $2 !~ /^(total|futex|epoll_wait|sched_yield|madvise|munmap|mmap)$/ { sum += $1 } END { print sum + 0 }' "$work/calls"
}

# Those for one request of a document with these variables: the difference of two runs.
calls_of() {
    local name=$1 document=$2 variables=$3 few many
    jq --compact-output --raw-input --slurp "{ query: ., variables: $variables }" "$here/guards/documents/$document.graphql" >"$work/body"
    calls "$name" 20 >/dev/null
    few=$(calls "$name" 20)
    many=$(calls "$name" 120)
    awk -v few="$few" -v many="$many" 'BEGIN { printf "%.0f\n", (many - few) / 100 }'
}

# The system calls on the database with this name and URL.
system_calls() {
    local kind fifth='pageInfo { endCursor }' data
    seed "$2" 2000
    DATABASE_URL=$2 LISTEN=127.0.0.1:0 start shop taskset --cpu-list "$core" "$program"
    data=$(ask shop "{\"query\": \"{ ratings(first: 5) { $fifth } books(first: 5) { $fifth nodes { id } } }\"}")
    for kind in ten hundred nested rating; do
        echo "$kind.$1_system_calls $(calls_of shop $kind "$(jq --compact-output --arg kind $kind '.data | {
            after: (if $kind == "nested" then .books else .ratings end).pageInfo.endCursor, book: .books.nodes[0].id }' <<<"$data")")"
    done
    jq --raw-input --slurp '{ query: . }' "$here/guards/documents/subscription.graphql" |
        curl -sf --no-buffer "${address[shop]}/graphql" --header 'Content-Type: application/json' \
            --header 'Accept: text/event-stream' --data-binary @- >"$work/events" &
    until grep --quiet next "$work/events"; do
        sleep 0.1
        ask_each shop "$work/body" >/dev/null
    done
    echo "event.$1_system_calls $(calls_of shop rating "$(jq --compact-output '.data | { book: .books.nodes[0].id }' <<<"$data")")"
    stop
    LISTEN=127.0.0.1:0 start discovered taskset --cpu-list "$core" "$target/debug/bookends" "$2"
    data=$(ask discovered "{\"query\": \"{ bookRatings(first: 5) { $fifth } }\"}")
    echo "discovered.$1_system_calls $(calls_of discovered discovered "$(jq --compact-output '{
        after: .data.bookRatings.pageInfo.endCursor }' <<<"$data")")"
    stop
}

all_system_calls() {
    # As the tests build them: by `cargo build`, the features of dependencies would be others.
    cargo test --locked --quiet --workspace --no-run
    cd "$work"
    program=$target/debug/bookshop
    export WRITE_TOKEN=the-token-of-the-guards
    system_calls sqlite "sqlite://$work/guards.db"
    create_database guards
    system_calls postgres "$made_url?sslmode=disable"
    cd "$here/.."
}

# The counts on both databases.
counts() {
    local arguments=(--locked --quiet --workspace --test counts -- "$@")
    (unset TEST_DATABASE_URL && cargo test "${arguments[@]}")
    cargo test "${arguments[@]}"
}

machine="$(cc --version | head -n 1); $(getconf GNU_LIBC_VERSION); $(valgrind --version 2>/dev/null || true)"
all_system_calls >"$figures"
if [ "${1:-}" != --system-calls ]; then instructions >>"$figures"; fi
if [ "${1:-}" = --record ]; then
    counts --ignored --nocapture | grep '^[a-z]*\.[a-z]' >>"$figures"
    {
        echo '# The cost of a request, by kind; benches/guards/service.rs has the requests.'
        echo "# machine: $machine"
        LC_ALL=C sort "$figures"
    } >$records
    exit
fi

recorded=$(sed -n 's/^# machine: //p' $records)
awk -v same="$([ "$machine" = "$recorded" ] && echo 1)" -v only="${1:-}" '
    /^#/ || !/_calls |\.instructions / || (only != "" && !/_calls /) { next }
    NR == FNR { record[$1] = $2; next }
    {
        some = record[$1] * ($1 ~ /\.instructions$/ ? (same ? 0.03 : 0.15) : 0.1)
        if ($1 ~ /_calls$/ && some < 1) some = 1
        verdict = "as recorded"
        if (!($1 in record)) verdict = "NOT RECORDED"
        else if ($2 > record[$1] + some) verdict = "ROSE"
        else if ($2 < record[$1] - some) verdict = "fell: record it"
        change = record[$1] > 0 ? sprintf("%+.2f %%", ($2 / record[$1] - 1) * 100) : ""
        printf "%-32s %10s %10d %11s  %s\n", $1, record[$1], $2, change, verdict
        failed = failed || verdict ~ /^[A-Z]/
        delete record[$1]
    }
    END {
        for (name in record) { printf "%-32s %10s  NOT MEASURED\n", name, record[name]; failed = 1 }
        exit failed
    }' $records "$figures" || failed=1
if [ "${1:-}" != --system-calls ]; then
    echo "recorded on: $recorded"
    echo "measured on: $machine"
    [ "$machine" = "$recorded" ] || echo "instructions were compared by 15 %, not by 3 %"
    counts || failed=1
fi
if [ -n "${failed:-}" ]; then
    echo "If a rise is meant, record it with its change: benches/guards.sh --record" >&2
    exit 1
fi
