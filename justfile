# The commands of a developer. `.ci/run` runs all checks.

# list the commands
default:
    @just --list

# serve the shop, and print its URL
serve:
    cargo run --release

# run the tests on SQLite
test *ARGS:
    cargo test --workspace {{ARGS}}

# run the tests on PostgreSQL
test-postgres url="postgres://postgres@127.0.0.1/postgres" *ARGS:
    TEST_DATABASE_URL={{url}} cargo test --workspace {{ARGS}}

# format, lint, build the Rust documentation
check:
    cargo fmt --all
    cargo clippy --workspace --all-targets -- -D warnings
    cargo doc --workspace --no-deps

# correct the parts of the documents that derive from the code
docs:
    UPDATE_DOCS=1 cargo test --workspace --test it -- operations::docs operations::manuals metrics::the_metrics request_cost::the_manual

# compare random schemas with the oracle until a response differs, or for this many schemas
hunt worlds="100000" seed=`date +%s`:
    SEED={{seed}} WORLDS={{worlds}} cargo test --locked --workspace --test random -- --nocapture responses_are_those writes_at_once

# check schema.graphql with Relay's rules (needs npm)
relay:
    npm --prefix tests/relay ci --no-audit --no-fund
    npm --prefix tests/relay test

# compare what the server accepts and refuses with graphql-js (needs npm)
verdicts cases="target/cases.jsonl":
    npm --prefix tests/validation ci --no-audit --no-fund
    mkdir -p target
    node tests/validation/cases.js {{cases}}
    VALIDATION_CASES={{justfile_directory()}}/{{cases}} cargo test --locked --workspace --lib verdicts -- --ignored --nocapture

# subscribe to a running server, at the URL that it prints, with the client library graphql-ws (needs npm). Start both with one
# JWT_SECRET, and the server with JWT_CLOCK_SKEW=0
subscriptions url:
    npm --prefix tests/ws ci --no-audit --no-fund
    BOOKENDS_URL='{{url}}' npm --prefix tests/ws test

# test Relay, Apollo Client, urql, snapshots and cynic against a running server, at the URL that it prints (needs npm)
clients url:
    for project in relay apollo urql snapshots; do \
        npm --prefix clients/$project ci --no-audit --no-fund && \
        BOOKENDS_URL='{{url}}' npm --prefix clients/$project test || exit 1; \
    done
    BOOKENDS_URL='{{url}}' cargo test --locked --manifest-path clients/rust/Cargo.toml

# compare discovered tables with PostGraphile, on the PostgreSQL of TEST_DATABASE_URL (needs npm, and `cargo build`)
postgraphile:
    npm --prefix tests/postgraphile ci --no-audit --no-fund
    BOOKENDS_PROGRAM={{justfile_directory()}}/target/debug/bookends npm --prefix tests/postgraphile test

# run the audits of the library graphql-http against a running server (needs npm)
audits url="http://127.0.0.1:8000":
    npm --prefix tests/http ci --no-audit --no-fund
    BOOKENDS_URL={{url}} npm --prefix tests/http test

# build the bundle of GraphiQL that the server embeds (needs npm)
web:
    npm --prefix web/graphiql ci --no-audit --no-fund
    npm --prefix web/graphiql run build

# test the page of a running server, at the URL that it prints, in Chromium (needs npm)
browser url:
    npm --prefix tests/browser ci --no-audit --no-fund
    BOOKENDS_URL='{{url}}' npm --prefix tests/browser test

# write schema.graphql
schema:
    cargo run --quiet -- schema > schema.graphql

# accept changed snapshots
accept:
    cargo insta accept

# measure the numbers in the documents
bench:
    cargo bench

# measure what pages and keys cost on both databases: count, aggregates, depth, flags, keys, cursors or all
experiment NAME *ARGS:
    cargo run --profile dist -p experiments -- {{NAME}} {{ARGS}}

# compare the cost of requests before and after a change (needs valgrind, gungraun-runner, jq and PostgreSQL)
guards *ARGS:
    benches/guards.sh {{ARGS}}

# measure pages per second, latency and memory of a server (needs wrk, curl and jq)
load *ARGS:
    benches/load.sh {{ARGS}}

# run all checks
ci:
    .ci/run

# compare with hand-written servers (needs wrk, curl and jq)
floor *ARGS:
    benches/floor.sh {{ARGS}}

# compare discovered tables with declared ones (needs wrk, curl and jq)
discovered *ARGS:
    benches/discovered.sh {{ARGS}}

# measure whether deep pages cost more, in every order (needs wrk, curl and jq)
depth *ARGS:
    benches/depth.sh {{ARGS}}

# attack a server, and measure what its other clients notice (needs curl and jq)
siege *ARGS:
    benches/siege.sh {{ARGS}}

# let database servers die, freeze and be promoted under load (needs Linux and PostgreSQL's programs)
soak *ARGS:
    benches/soak.sh {{ARGS}}
