#!/usr/bin/env bash
# The hand-written server. `BUILD` is a folder for what is built.
set -euo pipefail
cd "$(dirname "$0")"
case $1 in
build) cargo build --release --quiet --locked --target-dir "$BUILD/handwritten" ;;
serve) exec "$BUILD/handwritten/release/handwritten" ;;
version) echo "axum $(sed -n '/^name = "axum"/{n;s/version = "\(.*\)"/\1/p}' Cargo.lock)" ;;
esac
