#!/usr/bin/env bash
# Builds with profile-guided optimization, as the programs of a release are built:
#
#     TEST_DATABASE_URL=postgres://postgres@127.0.0.1/postgres packaging/pgo.sh --package bookends --package bookshop
#
# The arguments are those of `cargo build`, and name both programs. The first build counts what runs while both programs answer the
# requests in packaging/pgo, on SQLite and on the PostgreSQL that TEST_DATABASE_URL names, in a database of its own. The second
# build has these counts: it makes code fast that runs often, and small that never ran. Both have the profile `dist`.
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
counting=$target/pgo/$triple/dist program=$counting/bookshop
WRITE_TOKEN=the-token-of-the-training
export WRITE_TOKEN

# Asks a server, whose lists of ratings and of orders have these names, for each document in this file so often.
train() {
    local name=$1 ratings=$2 orders=$3 bodies=$work/bodies
    # The rows of the variables.
    local some="books(first: 1, offset: 50) { nodes { id } } $ratings(first: 1, offset: 5000) { edges { cursor } }"
    ask "$name" "{\"query\": \"{ $some }\"}" >"$work/rows"
    sed "s/RATINGS/$ratings/g; s/ORDERS/$orders/g" "$packaging/pgo/$4.graphql" |
        jq --raw-input --slurp --compact-output --slurpfile rows "$work/rows" '
            [$rows[0].data[]] as [$books, $ratings] | split("\n\n")[] | { query: ., variables: {
                book: $books.nodes[0].id, after: $ratings.edges[0].cursor } }' >"$bodies"
    jq --raw-output --arg url "${address[$name]}/graphql" --arg token "$WRITE_TOKEN" --argjson times "$5" '
        range($times) as $_ | "url = \($url)
        header = \"Content-Type: application/json\"
        header = \"Accept: application/graphql-response+json\"
        header = \"Authorization: Bearer \($token)\"
        data-binary = \(tojson | tojson)
        next"' "$bodies" | sed '$d' | curl --silent --show-error --config - >"$work/answers"
    # Nothing is refused but what must be.
    jq --raw-output '.errors[]?.extensions.code' "$work/answers" | sort --unique >"$work/codes"
    case $4 in
    seldom) diff - "$work/codes" <<<$'GRAPHQL_VALIDATION_FAILED\nPAGE_INVALID' ;;
    *) diff /dev/null "$work/codes" ;;
    esac
}

# The counts are written when a program ends.
run() {
    cd "$work"
    seed "$1" 20000 5000
    DATABASE_URL=$1 LISTEN=127.0.0.1:0 start shop "$counting/bookshop"
    train shop ratings orders often "$times"
    train shop ratings orders shop "$times"
    train shop ratings orders seldom 10
    stop
    LISTEN=127.0.0.1:0 start discovered "$counting/bookends" --write "$1"
    train discovered bookRatings bookOrders often "$times"
    train discovered bookRatings bookOrders seldom 10
    stop
}
run "sqlite://$work/bookshop.db"
create_database pgo
run "$made_url"
cd "$packaging/.."
"$profdata" merge --output "$target/pgo/$triple.profdata" "$counts"
build "-Cprofile-use=$target/pgo/$triple.profdata" "$@"
