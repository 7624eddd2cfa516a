#!/usr/bin/env bash
# Two servers, a primary and two streaming replicas under load (benches/soak), as a table:
#
#     benches/soak.sh [seconds] [program]
#
# Clients walk both ways, read with and without a position, write and subscribe. Meanwhile replicas are killed, frozen and
# restarted, and one after the other is promoted in place of a primary that is killed. At the end every acknowledged write
# must be there, and every walk exact. Each kind of request must have succeeded. No request may have failed, other than writes
# from the end of a primary until both servers wrote to the next one. Otherwise the exit status is 1. Without a program, the
# `dist` build. Needs Linux and Debian's package postgresql. All of them share the cores.
set -euo pipefail
seconds=${1:-60} program=${2:-}
. "$(dirname "$0")/lib.sh"
find_program "$program"
cargo build --quiet --locked --workspace --bin soak --manifest-path "$here/../Cargo.toml"
"$target/debug/soak" "$program" "$seconds"
