# The commands of a developer; `.ci/run` is all of them.

# list the commands
default:
    @just --list

# serve the shop at http://127.0.0.1:8000
serve:
    cargo run --release

# the tests on SQLite
test *ARGS:
    cargo test --workspace {{ARGS}}

# the tests on PostgreSQL
test-postgres url="postgres://postgres@127.0.0.1/postgres" *ARGS:
    TEST_DATABASE_URL={{url}} cargo test --workspace {{ARGS}}

# format, lint, document
check:
    cargo fmt --all
    cargo clippy --workspace --all-targets -- -D warnings
    cargo doc --workspace --no-deps

# check schema.graphql by Relay's rules (needs npm)
relay:
    npm --prefix tests/relay ci --no-audit --no-fund
    npm --prefix tests/relay test

# subscribe to a server that is running, by the client library graphql-ws (needs npm)
subscriptions url="http://127.0.0.1:8000":
    npm --prefix tests/ws ci --no-audit --no-fund
    BOOKENDS_URL={{url}} npm --prefix tests/ws test

# run the audits of the library graphql-http against a server that runs (needs npm)
audits url="http://127.0.0.1:8000":
    npm --prefix tests/http ci --no-audit --no-fund
    BOOKENDS_URL={{url}} npm --prefix tests/http test

# build GraphiQL for the server to embed (needs npm)
web:
    npm --prefix web ci --no-audit --no-fund
    npm --prefix web run build

# test the page of a server that runs, in Chromium (needs npm)
browser url="http://127.0.0.1:8000":
    npm --prefix tests/browser ci --no-audit --no-fund
    BOOKENDS_URL={{url}} npm --prefix tests/browser test

# write schema.graphql anew
schema:
    cargo run --quiet -- schema > schema.graphql

# accept changed snapshots
accept:
    cargo insta accept

# measure what the README claims
bench:
    cargo bench

# what a server takes: pages a second, latency, memory (needs wrk, curl and jq)
load *ARGS:
    benches/load.sh {{ARGS}}

# everything that must hold before a change lands
ci:
    .ci/run
