#!/usr/bin/env bash
# Builds the example, starts it on a free port with a new database, and compares its responses exactly.
# Needs curl, jq and npm.
set -euo pipefail
cd "$(dirname "$0")"

# With the tests, whose dependencies are built already.
cargo test --locked --workspace --no-run
folder=$(mktemp -d)
mkfifo "$folder/output"
DATABASE_URL="sqlite://$folder/rivers.db?mode=rwc" LISTEN=127.0.0.1:0 \
    "${CARGO_TARGET_DIR:-../../target}/debug/rivers" >"$folder/output" &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" || true; rm -rf "$folder"' EXIT
# The server prints its address. If it stops before that, the end of its output ends this script.
exec 3<"$folder/output"
read -r _ page _ <&3
url=${page%%/#*}/graphql token=${page##*=}

failed=0

# expect NAME QUERY RESPONSE
expect() {
    local received expected
    received=$(jq -n --arg query "$2" '{$query}' | 
        curl -sS -H 'content-type: application/json' -H "authorization: Bearer $token" --data-binary @- "$url")
    expected=$(jq -c . <<<"$3")
    if [ "$received" = "$expected" ]; then
        echo "ok: $1"
    else
        printf 'failed: %s\n  expected %s\n  received %s\n' "$1" "$expected" "$received"
        failed=1
    fi
}

expect 'a sorted page' '{
  rivers(first: 3, orderBy: { field: LENGTH, direction: DESC }) {
    totalCount
    edges { cursor node { name length } }
    pageInfo { hasPreviousPage hasNextPage endCursor }
  }
}' '{ "data": { "rivers": {
  "totalCount": 4,
  "edges": [
    { "cursor": "AWsLCBj6BgM", "node": { "name": "Nile", "length": 6650 } },
    { "cursor": "AWsLCAoiBgE", "node": { "name": "Danube", "length": 2850 } },
    { "cursor": "AWsLCAPRBgQ", "node": { "name": "Rhine", "length": 1233 } }
  ],
  "pageInfo": { "hasPreviousPage": false, "hasNextPage": true, "endCursor": "AWsLCAPRBgQ" }
} } }'

expect 'the last page' '{
  rivers(first: 3, after: "AWsLCAPRBgQ", orderBy: { field: LENGTH, direction: DESC }) {
    nodes { name }
    pageInfo { hasPreviousPage hasNextPage }
  }
}' '{ "data": { "rivers": {
  "nodes": [{ "name": "Elbe" }],
  "pageInfo": { "hasPreviousPage": true, "hasNextPage": false }
} } }'

expect 'the last page, from the back' '{
  rivers(last: 1, orderBy: { field: NAME }) { nodes { name } pageInfo { hasPreviousPage hasNextPage } }
}' '{ "data": { "rivers": {
  "nodes": [{ "name": "Rhine" }],
  "pageInfo": { "hasPreviousPage": true, "hasNextPage": false }
} } }'

expect 'a nested, sorted and filtered page per river' '{
  rivers(first: 2) {
    nodes {
      name
      cities(first: 2, orderBy: { field: PEOPLE, direction: DESC }, where: { people: { gte: 1000000 } }) {
        totalCount
        nodes { name people }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}' '{ "data": { "rivers": { "nodes": [
  { "name": "Danube", "cities": {
    "totalCount": 3,
    "nodes": [{ "name": "Vienna", "people": 2006000 }, { "name": "Budapest", "people": 1686000 }],
    "pageInfo": { "hasNextPage": true, "endCursor": "AYolCgAYuPAGAg" } } },
  { "name": "Elbe", "cities": {
    "totalCount": 1,
    "nodes": [{ "name": "Hamburg", "people": 1910000 }],
    "pageInfo": { "hasNextPage": false, "endCursor": "AYolCgAcI_AGBg" } } }
] } } }'

expect 'the next page of one river' '{
  rivers(first: 1) {
    nodes {
      cities(first: 2, after: "AYolCgAYuPAGAg", orderBy: { field: PEOPLE, direction: DESC }) {
        nodes { name people }
        pageInfo { hasPreviousPage hasNextPage }
      }
    }
  }
}' '{ "data": { "rivers": { "nodes": [
  { "cities": {
    "nodes": [{ "name": "Belgrade", "people": 1197000 }, { "name": "Vicus", "people": null }],
    "pageInfo": { "hasPreviousPage": true, "hasNextPage": false } } }
] } } }'

expect 'conditions combined by `or` and `not`' '{
  rivers(first: 1) {
    nodes {
      cities(where: { or: [{ people: { isNull: true } }, { not: { name: { startsWith: "V" } } }] }) {
        nodes { name }
      }
    }
  }
}' '{ "data": { "rivers": { "nodes": [
  { "cities": { "nodes": [{ "name": "Budapest" }, { "name": "Belgrade" }, { "name": "Vicus" }] } }
] } } }'

expect 'the river of each city' '{
  cities(first: 2, orderBy: { field: PEOPLE, direction: DESC }) { nodes { name river { name } } }
}' '{ "data": { "cities": { "nodes": [
  { "name": "Cairo", "river": { "name": "Nile" } },
  { "name": "Khartoum", "river": { "name": "Nile" } }
] } } }'

expect 'a new city' 'mutation {
  createCity(input: { riverId: "7JwGBA", name: "Bonn", people: 336000 }) {
    cityEdge { node { name river { name } } }
  }
}' '{ "data": { "createCity": { "cityEdge": { "node": { "name": "Bonn", "river": { "name": "Rhine" } } } } } }'

expect 'a malformed cursor' '{ rivers(after: "x") { totalCount } }' '{ "data": { "rivers": null }, "errors": [{
  "message": "`after`: the cursor is malformed",
  "locations": [{ "line": 1, "column": 3 }],
  "path": ["rivers"],
  "extensions": { "code": "CURSOR_INVALID" }
}] }'

expect 'a cursor of another order' '{ rivers(after: "AWsLCAPRBgQ") { nodes { name } } }' '{ "data": { "rivers": null }, "errors": [{
  "message": "`after`: the cursor belongs to another order",
  "locations": [{ "line": 1, "column": 3 }],
  "path": ["rivers"],
  "extensions": { "code": "CURSOR_OF_OTHER_ORDER" }
}] }'

# The introspection of GraphiQL, of code generators and of Apollo.
tests=../../tests/validation
[ -d $tests/node_modules/graphql ] || npm --prefix $tests ci --no-audit --no-fund --loglevel=error
node - "$url" <<'END' || failed=1
const { buildClientSchema, getIntrospectionQuery } = require('../../tests/validation/node_modules/graphql')
const all = { specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true, inputValueDeprecation: true }
const introspect = async (options) => {
  const headers = { 'content-type': 'application/json' }
  const body = JSON.stringify({ query: getIntrospectionQuery(options) })
  const { data, errors } = await (await fetch(process.argv[2], { method: 'POST', headers, body })).json()
  if (errors) throw new Error(JSON.stringify(errors))
  buildClientSchema(data).getQueryType().getFields().rivers.type.toString()
}
introspect({}).then(() => introspect(all)).then(
  () => console.log('ok: introspection'),
  (error) => { console.log(`failed: introspection\n  ${error.message}`); process.exitCode = 1 },
)
END

exit $failed
