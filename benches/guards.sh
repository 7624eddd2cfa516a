#!/usr/bin/env bash
# Compares what a request costs with its record, in figures that do not depend on time:
#
#     benches/guards.sh             # fails if a figure rose
#     benches/guards.sh --record    # writes the records, benches/guards.txt
#
# Instructions and allocations may rise by 3 %, statements, round trips and bytes on the wire not at all. Record what a
# change is meant to cost, and what it saves: a record that is too high hides the next rise. Needs Linux on x86-64,
# valgrind, gungraun-runner, jq, and PostgreSQL in TEST_DATABASE_URL.
#
# The instructions are those of all threads, in Rust, C and the C library. Valgrind shows every machine with AVX2 the same
# processor, so code that asks for its features takes the same path. One thread runs at a time, on one core: how often one
# waits for another is then the same in each run. What is left is the hashing of maps, which is random: between runs the
# figures differ by up to 1 %. SQLite and the allocator are C: where the C compiler, the C library or Valgrind is another
# one, the instructions may rise by 15 %.
set -euo pipefail
cd "$(dirname "$0")/.."
records=benches/guards.txt
: "${TEST_DATABASE_URL:?names no PostgreSQL}"
if [ "$(uname -sm)" != 'Linux x86_64' ]; then
    echo "expected Linux on x86-64, where the instructions are recorded" >&2
    exit 1
fi
[ -e $records ] || [ "${1:-}" = --record ] || { echo "no records: $records" >&2; exit 1; }
version=$(sed -n '/^name = "gungraun-runner"$/{n;s/.*"\(.*\)"/\1/p}' Cargo.lock)
if [ "$(gungraun-runner --version 2>/dev/null)" != "gungraun-runner $version" ]; then
    echo "expected a gungraun-runner of version $version: cargo install --locked gungraun-runner@$version" >&2
    exit 1
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# Without it, the other cores decide which of two threads goes on: up to 7 % of the instructions of a page of 100.
core=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
# The profile of benches has no optimisation across crates, unlike `dist`: it takes minutes, and changes the figures from one
# place to the next.
cargo bench --locked --quiet --workspace --bench counts --bench instructions --no-run

# The difference of two runs, by the difference of their requests.
instructions() {
    GUNGRAUN_HOME=$folder/gungraun \
        taskset --cpu-list "$core" cargo bench --locked --quiet --workspace --bench instructions -- --save-summary=json >"$folder/log" ||
        { cat "$folder/log" >&2; return 1; }
    find "$folder/gungraun" -name summary.json -exec cat {} + | jq --raw-output --slurp '
        map((.id | split("_")) as [$name, $requests]
            | { name: $name, requests: ($requests | tonumber), count: .profiles[0].data.total.metrics.Ir.values.new })
        | group_by(.name)[] | sort_by(.requests)
        | "\(.[0].name).instructions \((.[1].count - .[0].count) / (.[1].requests - .[0].requests) | round)"'
}

machine="$(cc --version | head -n 1); $(getconf GNU_LIBC_VERSION); $(valgrind --version)"
CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="taskset --cpu-list $core valgrind --quiet --tool=none" \
    cargo bench --locked --quiet --workspace --bench counts | grep '^[a-z]*\.' >"$folder/figures"
instructions >>"$folder/figures"
LC_ALL=C sort --output="$folder/figures" "$folder/figures"

if [ "${1:-}" = --record ]; then
    {
        echo '# The cost of a request, by kind; benches/guards/service.rs has the requests.'
        echo "# machine: $machine"
        cat "$folder/figures"
    } >$records
    exit
fi

recorded=$(sed -n 's/^# machine: //p' $records)
awk -v same="$([ "$machine" = "$recorded" ] && echo 1)" '
    /^#/ { next }
    NR == FNR { record[$1] = $2; next }
    {
        part = $1 ~ /\.(instructions|allocations|allocated_bytes)$/ ? 0.03 : 0
        if (!same && $1 ~ /\.instructions$/) part = 0.15
        verdict = "as recorded"
        if (!($1 in record)) verdict = "NOT RECORDED"
        else if ($2 > record[$1] * (1 + part)) verdict = "ROSE"
        else if ($2 < record[$1] * (1 - part)) verdict = "fell: record it"
        change = record[$1] > 0 ? sprintf("%+.2f %%", ($2 / record[$1] - 1) * 100) : ""
        printf "%-32s %10s %10d %11s  %s\n", $1, record[$1], $2, change, verdict
        failed = failed || verdict ~ /^[A-Z]/
        delete record[$1]
    }
    END {
        for (name in record) { printf "%-32s %10s  NOT MEASURED\n", name, record[name]; failed = 1 }
        exit failed
    }' $records "$folder/figures" || failed=1
echo "recorded on: $recorded"
echo "measured on: $machine"
[ "$machine" = "$recorded" ] || echo "instructions were compared by 15 %, not by 3 %"
if [ -n "${failed:-}" ]; then
    echo "If a rise is meant, record it with its change: benches/guards.sh --record" >&2
    exit 1
fi
