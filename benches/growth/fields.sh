# Documents of 10, 100 and 1,000 fields. To be sourced by benches/growth.sh.
#
# - `columns`: one node whose column has as many names. One statement reads it.
# - `lists`: a third as many lists of one node, each with its id. Each list is a statement.
#
# A document is known after it has been executed once. Those that are new have a name that the server has not seen.

sizes=(10 100 1000)
most=$((power < 6 ? power : 6))
keep "rows_$most" fill_rows $((10 ** most))

# A document of so many fields, after the name of its operation.
document() {
    if [ "$1" = columns ]; then
        echo "query $3 { ratings(first: 1) { nodes {$(printf ' a%d: rating' $(seq $(($2 - 2)))) } } }"
    else
        echo "query $3 {$(printf ' a%d: ratings(first: 1) { nodes { id } }' $(seq $(($2 / 3)))) __typename }"
    fi
}

# So many bodies, each with a name of its own, or all with the same.
texts() {
    local number
    for number in $(seq "$3"); do
        document "$1" "$2" "${4:-New$number}" | jq --raw-input --compact-output '{ query: . }'
    done
}

DATABASE_URL=$kept LISTEN=127.0.0.1:0 start timed "$program"
DATABASE_URL=$kept LISTEN=127.0.0.1:0 start counted "${callgrind[@]}" "$program"
rm -f samples.* points.fields
for kind in columns lists; do
    for fields in "${sizes[@]}"; do
        texts $kind "$fields" 1 Known >"bodies.$kind.$fields"
        check timed "bodies.$kind.$fields"
    done
done
for ((round = 0; round <= rounds; round++)); do
    for kind in columns lists; do
        for fields in "${sizes[@]}"; do
            sample timed "bodies.$kind.$fields" 1 >>"samples.$([ $round -gt 0 ] || echo warm.)$kind.$fields"
        done
    done
done

instructions='instructions, known | of a field | instructions, new | of a field'
head_of_table "10^$most ratings; $rounds rounds of $seconds s, one connection" \
    "| document | fields | cost | bytes | p50, ms | CPU µs of the server + PostgreSQL | $instructions | failures |"
for kind in columns lists; do
    for fields in "${sizes[@]}"; do
        # PostgreSQL plans anew until the sixth execution, on each of the connections.
        texts $kind "$fields" 20 Known >bodies.known
        instructions_of counted bodies.known >/dev/null
        known=$(instructions_of counted bodies.known)
        texts $kind "$fields" 10 >bodies.new
        new=$(instructions_of counted bodies.new)
        body=$(cat "bodies.$kind.$fields")
        cost=$(ask timed "$(jq --compact-output '.extensions = { cost: "report" }' <<<"$body")" | jq .extensions.cost.requested)
        of=samples.$kind.$fields
        printf '| %s | %d | %d | %d | %.2f | %.0f + %.0f | %d | %d | %d | %d | %d |\n' $kind "$fields" "$cost" "${#body}" \
            "$(column "$of" 2)" "$(column "$of" 5)" "$(column "$of" 6)" "$known" $((known / fields)) "$new" $((new / fields)) \
            "$(awk '{ sum += $4 } END { print sum }' "$of")"
        printf '%s, known\t%d\t%s\n%s, new\t%d\t%s\n' $kind "$fields" "$known" $kind "$fields" "$new" >>points.fields
    done
done
plot 'Instructions of the server for a document by its fields' fields instructions
