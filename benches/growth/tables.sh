# The program `bookends` over 10, 100 and 1,000 tables that it discovers. To be sourced by benches/growth.sh.

sizes=(10 100 1000)
fill_tables() {
    psql -q "$2" --variable tables="$1" --file "$here/growth/tables.sql"
}

# A page of ten of each of the first so many tables.
things() {
    jq --null-input --compact-output --argjson tables "$1" 'range(1; $tables + 1) | { query: "{ thing\(.)s(first: 10) {
        edges { cursor node { id name text1 integer1 } } pageInfo { hasPreviousPage hasNextPage } } }" }'
}

# The page of the first table in 20,000 texts, each of which the server has not seen.
new_things() {
    jq --null-input --compact-output --arg name "$1" --argjson page "$(things 1)" \
        'range(20000) as $number | $page | .query |= "query \($name)\($number) " + .'
}

now() {
    date +%s%3N
}

# Starts a server under callgrind, which counts from now on: the start would take minutes.
start_counted() {
    LISTEN=127.0.0.1:0 start counted "${callgrind[@]}" --instr-atstart=no "$bookends" "$1"
    callgrind_control --instr=on "${server[counted]}" >/dev/null 2>&1
}

# The ms that PostgreSQL has executed statements of a database, once its sessions have reported them.
active() {
    psql -qAt "$1" --command 'SELECT round(active_time) FROM pg_stat_database WHERE datname = current_database()'
}

# What the introspection of GraphiQL selects.
introspection=$(jq --null-input --compact-output '{ query: "{ __schema { queryType { name } types {
    kind name description
    fields(includeDeprecated: true) { name description isDeprecated deprecationReason
        args { name description defaultValue type { ...Type } }
        type { ...Type } }
    inputFields { name description defaultValue type { ...Type } } enumValues(includeDeprecated: true) { name description }
    interfaces { ...Type } possibleTypes { ...Type } } } } fragment Type on __Type { kind name ofType { kind name
        ofType { kind name ofType { kind name } } } }" }')

rm -f samples.* points.all
declare -A urls=() took=() first=() idle=() busy=()
for tables in "${sizes[@]}"; do
    keep "tables_$tables" fill_tables "$tables"
    urls[$tables]=$kept
    begin=$(now)
    LISTEN=127.0.0.1:0 start "$tables" "$bookends" "$kept"
    took[$tables]=$(($(now) - begin)) first[$tables]=$(megabytes "$tables")
    things 1 >"bodies.one.$tables"
    things "$tables" >"bodies.all.$tables"
    check "$tables" "bodies.all.$tables" 20
done

# Nobody asks. The catalogue is followed, and once in a minute statistics are read.
sleep 11
for tables in "${sizes[@]}"; do idle[$tables]=$(ticks "${server[$tables]}") busy[$tables]=$(active "${urls[$tables]}"); done
sleep 75
for tables in "${sizes[@]}"; do
    idle[$tables]=$((($(ticks "${server[$tables]}") - idle[$tables]) * 1000000 / hertz / 75))
    busy[$tables]=$((($(active "${urls[$tables]}") - busy[$tables]) * 1000 / 75))
done

kinds=(one all new)
declare -A titles=([one]='a page' [all]='a page of all tables in turns'
    [new]='a page in a new document')
for ((round = 0; round <= rounds; round++)); do
    new_things "Round$round" >bodies.new
    for kind in "${kinds[@]}"; do
        for tables in "${sizes[@]}"; do
            bodies=bodies.$kind.$tables
            [ "$kind" != new ] || bodies=bodies.new
            sample "$tables" "$bodies" 1 >>"samples.$([ $round -gt 0 ] || echo warm.)$kind.$tables"
        done
    done
done

# A line of the table, and of the plot.
declare -A cell=()
lines=()
line() {
    [[ " ${lines[*]} " == *" ${1// /_} "* ]] || lines+=("${1// /_}")
    cell[$1.$tables]=$2
    printf '%s\t%d\t%s\n' "${1%,*}" "$tables" "${2%% *}" >>points.all
}

for tables in "${sizes[@]}"; do
    line 'start, ms' "${took[$tables]}"
    line 'memory, MB' "${first[$tables]}"
    line 'SDL, kB' $(($("$bookends" sdl "${urls[$tables]}" | wc -c) / 1000))
    begin=$(now)
    ask "$tables" "$introspection" >response
    line 'introspection, ms' $(($(now) - begin))
    jq --exit-status 'has("errors") | not' response >/dev/null
    line 'memory after introspection, MB' "$(megabytes "$tables")"
    for kind in "${kinds[@]}"; do
        line "${titles[$kind]}, p50 ms / CPU µs" "$(column "samples.$kind.$tables" 2) / $(
            printf %.0f "$(column "samples.$kind.$tables" 5)")"
    done
    start_counted "${urls[$tables]}"
    for ((number = 0; number < 100; number++)); do cat "bodies.one.$tables"; done >bodies.known
    ask_each counted bodies.known --fail >/dev/null
    line 'instructions of a page, thousands' $(($(instructions_of counted bodies.known) / 1000))
    head --lines=100 bodies.new >bodies.unknown
    line 'instructions of a new document, thousands' $(($(instructions_of counted bodies.unknown) / 1000))
    kill "${server[counted]}"
    wait "${server[counted]}" 2>/dev/null || true
    unset 'server[counted]'
    line 'CPU of an idle server, µs/s' "${idle[$tables]}"
    line 'PostgreSQL of an idle server, µs/s' "${busy[$tables]}"
    line 'failures' "$(cat samples.*."$tables" | awk '{ sum += $4 } END { print sum }')"
done

head_of_table "tables of 20 columns and 100 rows; $rounds rounds of $seconds s, one connection" \
    "| |$(printf ' %d tables |' "${sizes[@]}") growth |"
for name in "${lines[@]}"; do
    name=${name//_/ }
    printf '| %s |' "$name"
    for tables in "${sizes[@]}"; do printf ' %s |' "${cell[$name.$tables]}"; done
    awk -v first="${cell[$name.${sizes[0]}]}" -v last="${cell[$name.${sizes[-1]}]}" \
        'BEGIN { if (first + 0) printf " × %.3g |\n", last / first; else print " |" }'
done
plotted='start|memory|introspection|a page|a page of all.*|a page in.*|instructions of a page|PostgreSQL.*'
grep --extended-regexp "^($plotted)"$'\t' points.all >points.tables
plot 'The program bookends by the tables of the database' tables '× 10 tables'
