#!/usr/bin/env bash
# Strawberry-Django under Gunicorn, with as many workers as Gunicorn's documentation says: twice the cores and one. Its threads
# keep connections to clients. `BUILD` is a folder for what is built.
set -euo pipefail
cd "$(dirname "$0")"
folder=$BUILD/django
case $1 in
build)
    python3 -m venv "$folder"
    "$folder/bin/pip" install --quiet --requirement requirements.txt
    ;;
serve)
    export PYTHONDONTWRITEBYTECODE=1
    exec "$folder/bin/gunicorn" --bind "127.0.0.1:$PORT" --workers $((2 * $(nproc) + 1)) --threads 4 --keep-alive 60 \
        --log-level warning peer.wsgi
    ;;
version) sed -n 's/^strawberry-graphql-django==//p' requirements.txt ;;
esac
