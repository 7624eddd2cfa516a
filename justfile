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

# write schema.graphql anew
schema:
    cargo run --quiet -- schema > schema.graphql

# accept changed snapshots
accept:
    cargo insta accept

# measure what the README claims
bench:
    cargo bench

# everything that must hold before a change lands
ci:
    .ci/run
