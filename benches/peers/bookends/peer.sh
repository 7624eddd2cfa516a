#!/usr/bin/env bash
# Bookends in two ways: `discovered` is the program over the database in `DATABASE_URL`; `declared` is the project that `bookends
# eject` writes of the same database. `BUILD` is a folder for what is built, `BOOKENDS` a program that is there already.
set -euo pipefail
cd "$(dirname "$0")/../../.."
target=$(realpath --canonicalize-missing "${CARGO_TARGET_DIR:-target}")
program=$(realpath --canonicalize-missing "${BOOKENDS:-$target/dist/bookends}")
project=$BUILD/declared

build_declared() {
    local new=$project.new
    rm -rf "$new"
    "$program" eject "$new/declared" "$DATABASE_URL" >&2
    # The libraries of this checkout, in the versions of its lock file, as optimised as the program is.
    sed -i '/^# What is deployed/,$d' "$new/declared/Cargo.toml"
    {
        echo '[workspace]'
        echo '[patch.crates-io]'
        for library in server graphql keyset; do echo "bookends-$library = { path = '$PWD/$library' }"; done
        sed -n '/^\[profile\.release\]/,$p' Cargo.toml
    } >>"$new/declared/Cargo.toml"
    cp -r .cargo rust-toolchain.toml Cargo.lock "$new/declared"
    # Cargo builds it again only if it has changed.
    if ! diff -rq --exclude=Cargo.lock "$new/declared" "$project" >/dev/null 2>&1; then
        rm -rf "$project"
        mv "$new/declared" "$project"
    fi
    rm -rf "$new"
    (cd "$project" && CARGO_TARGET_DIR=$target cargo build --profile dist --quiet --features bookends-server/mimalloc)
    psql -qX "$DATABASE_URL" -f "$project/baseline.sql"
}

case $1.${2:-} in
build.discovered)
    [ -n "${BOOKENDS:-}" ] || cargo build --profile dist --quiet --locked --workspace --bin bookends
    ;;
build.declared) build_declared ;;
serve.*)
    export LISTEN=127.0.0.1:$PORT MAX_COMPLEXITY=1000000 RUST_LOG=error DATABASE_URL=$DATABASE_URL?sslmode=disable
    if [ "$2" = discovered ]; then exec "$program" serve; fi
    exec "$target/dist/declared" serve
    ;;
version.*) sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml ;;
esac
