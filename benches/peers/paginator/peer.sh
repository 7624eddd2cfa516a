#!/usr/bin/env bash
# django-universal-paginator in a view, with the tables, the settings and the Gunicorn of the peer Strawberry-Django.
set -euo pipefail
cd "$(dirname "$0")"
export PYTHONPATH=$PWD URLS=views
case $1 in
version) sed -n 's/^django-universal-paginator==//p' ../strawberry/requirements.txt ;;
*) exec ../strawberry/peer.sh "$@" ;;
esac
