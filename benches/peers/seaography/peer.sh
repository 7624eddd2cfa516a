#!/usr/bin/env bash
# Seaography 2, over entities that its documentation's command generates from the database in `DATABASE_URL`. `BUILD` is a folder
# for what is built.
set -euo pipefail
cd "$(dirname "$0")"
folder=$BUILD/seaography
case $1 in
build)
    mkdir -p "$folder"
    cargo install --quiet sea-orm-cli --version 2.0.4 --locked --root "$BUILD/tools" --no-default-features \
        --features cli,codegen,runtime-tokio,sqlx-postgres
    # Cargo builds it again only if something has changed.
    cp --recursive --update Cargo.toml Cargo.lock src "$folder"
    "$BUILD/tools/bin/sea-orm-cli" generate entity --database-url "$DATABASE_URL" --output-dir "$folder/entities" --seaography \
        --with-prelude none >/dev/null
    diff -rq "$folder/entities" "$folder/src/entities" >/dev/null 2>&1 || {
        rm -rf "$folder/src/entities"
        cp -r "$folder/entities" "$folder/src"
    }
    cargo build --release --quiet --locked --manifest-path "$folder/Cargo.toml" --target-dir "$folder/target"
    ;;
serve) exec "$folder/target/release/seaography-peer" ;;
version) sed -n 's/^seaography = "=\(.*\)"/\1/p' Cargo.toml ;;
esac
