#!/usr/bin/env bash
# Builds with profile-guided optimization, as the programs of a release are built:
#
#     TEST_DATABASE_URL=postgres://postgres@127.0.0.1/postgres packaging/pgo.sh --package bookends --package bookshop
#
# The arguments are those of `cargo build`, and name both programs. The first build counts what runs while both programs answer the
# requests in packaging/pgo, on SQLite and on the PostgreSQL that TEST_DATABASE_URL names, in a database of its own. The second
# build has these counts: it makes code fast that runs often, and small that never ran. Both have the profile `dist`.
#
# Where BOLT names an `llvm-bolt`, such as llvm-bolt-19, the programs then count their branches in a second run, and are laid out
# anew: what runs together is then close together. Not for static programs: there, what counts the branches does not start.
#
# Needs curl, jq, psql, and an `llvm-profdata` that reads the profiles of this rustc: `rustup component add llvm-tools`, or
# LLVM_PROFDATA.
set -euo pipefail
packaging=$(cd "$(dirname "$0")" && pwd)
# The toolchain and the settings of cargo are those of the folder.
cd "$packaging/.."
: "${TEST_DATABASE_URL:?names no PostgreSQL: what reads it would be built as code that never runs}"
host=$(rustc -vV | sed -n 's/^host: //p')
profdata=${LLVM_PROFDATA:-$(rustc --print sysroot)/lib/rustlib/$host/bin/llvm-profdata}
"$profdata" --version >/dev/null
triple=$host previous=''
for argument in "$@"; do
    [ "$previous" != --target ] || triple=$argument
    previous=$argument
done
# With a target, neither build scripts nor macros are counted.
[[ " $* " == *' --target '* ]] || set -- "$@" --target "$triple"

build() {
    local flags=$1
    shift
    RUSTFLAGS="${RUSTFLAGS:-} $flags" cargo build --profile dist --locked "$@"
}

. benches/lib.sh
counts=$target/pgo/counts times=${TIMES:-300}
rm -rf "$counts"
build "-Cprofile-generate=$counts" --target-dir "$target/pgo" "$@"
WRITE_TOKEN=the-token-of-the-training
export WRITE_TOKEN

# Asks a server, whose lists of ratings and of orders have these names, for each document in this file so often.
train() {
    local name=$1 ratings=$2 orders=$3 bodies=$work/bodies round
    # The rows of the variables.
    local some="books(first: 1, offset: 50) { nodes { id } } $ratings(first: 1, offset: 5000) { edges { cursor } }"
    ask "$name" "{\"query\": \"{ $some }\"}" >"$work/rows"
    sed "s/RATINGS/$ratings/g; s/ORDERS/$orders/g" "$packaging/pgo/$4.graphql" |
        jq --raw-input --slurp --compact-output --slurpfile rows "$work/rows" '
            [$rows[0].data[]] as [$books, $ratings] | split("\n\n")[] | { query: ., variables: {
                book: $books.nodes[0].id, after: $ratings.edges[0].cursor } }' >"$bodies"
    ask_each "$name" <(for ((round = 0; round < $5; round++)); do cat "$bodies"; done) >"$work/answers"
    # Nothing is refused but what must be.
    jq --raw-output '.errors[]?.extensions.code' "$work/answers" | sort --unique >"$work/codes"
    case $4 in
    seldom) diff - "$work/codes" <<<$'GRAPHQL_VALIDATION_FAILED\nPAGE_INVALID' ;;
    *) diff /dev/null "$work/codes" ;;
    esac
}

# Runs the programs in this folder on this database. They write their counts when they end.
run() {
    cd "$work"
    program=$1/bookshop
    seed "$2" 20000 5000
    DATABASE_URL=$2 LISTEN=127.0.0.1:0 start shop "$1/bookshop"
    train shop ratings orders often "$times"
    train shop ratings orders shop "$times"
    train shop ratings orders seldom 10
    stop
    LISTEN=127.0.0.1:0 start discovered "$1/bookends" --write "$2"
    train discovered bookRatings bookOrders often "$times"
    train discovered bookRatings bookOrders seldom 10
    stop
}

# The same on a database of each kind, which get this name.
run_on_both() {
    run "$2" "sqlite://$work/$1.db"
    create_database "$1"
    run "$2" "$made_url"
}

run_on_both pgo "$target/pgo/$triple/dist"
cd "$packaging/.."
"$profdata" merge --output "$target/pgo/$triple.profdata" "$counts"
build "-Cprofile-use=$target/pgo/$triple.profdata ${BOLT:+-Clink-arg=-Wl,--emit-relocs}" "$@"
[ -n "${BOLT:-}" ] || exit 0

built=$target/$triple/dist counting=$target/pgo/bolt
rm -rf "$counting"
mkdir "$counting"
for name in bookends bookshop; do
    "$BOLT" "$built/$name" --instrument --instrumentation-file="$counting/$name" --instrumentation-file-append-pid \
        -o "$counting/$name" >"$counting/$name.log" 2>&1 || { tail "$counting/$name.log" >&2; exit 1; }
done
run_on_both bolt "$counting"
for name in bookends bookshop; do
    "${BOLT/llvm-bolt/merge-fdata}" "$counting/$name".*.fdata >"$counting/$name.counts"
    "$BOLT" "$built/$name" --data="$counting/$name.counts" --reorder-blocks=ext-tsp --reorder-functions=cdsort \
        --split-functions --split-all-cold --split-eh --icf=1 --use-gnu-stack -o "$counting/$name.done" >>"$counting/$name.log" 2>&1 ||
        { tail "$counting/$name.log" >&2; exit 1; }
    mv "$counting/$name.done" "$built/$name"
done
