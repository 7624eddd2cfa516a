# Pages over 1 to 256 connections. To be sourced by benches/growth.sh.

# Ten ratings with their books, at a hundred places.
page='query Page($after: String) { ratings(first: 10, after: $after) {
    edges { cursor node { id rating book { name } } } pageInfo { hasPreviousPage hasNextPage startCursor endCursor } } }'
most=$((power < 6 ? power : 6))

seed "sqlite://$work/growth.db" $((10 ** most))
keep "rows_$most" fill_rows $((10 ** most))
DATABASE_URL="sqlite://$work/growth.db" LISTEN=127.0.0.1:0 start SQLite "$program"
DATABASE_URL=$kept LISTEN=127.0.0.1:0 start PostgreSQL "$program"
for name in SQLite PostgreSQL; do
    places $name ratings $((10 ** most)) | bodies "$page" >"bodies.$name"
    check $name "bodies.$name"
done

rm -f samples.*
for ((round = 0; round <= rounds; round++)); do
    for connections in 1 4 16 64 256; do
        for name in SQLite PostgreSQL; do
            # The first round warms up.
            sample $name "bodies.$name" $connections >>"samples.$([ $round -gt 0 ] || echo warm.)$name.$connections"
            echo "$(megabytes $name)" >>"samples.megabytes.$name.$connections"
        done
    done
done

head_of_table "10^$most ratings; $rounds rounds of $seconds s" \
    '| database | connections | pages/s | p50, ms | p99, ms | CPU µs of the server + PostgreSQL | MB | failures |'
for name in SQLite PostgreSQL; do
    for connections in 1 4 16 64 256; do
        of=samples.$name.$connections
        cpu=$(printf %.0f "$(column "$of" 5)")
        [ $name = SQLite ] || cpu+=" + $(printf %.0f "$(column "$of" 6)")"
        printf '| %s | %d | %.0f | %.2f | %.2f | %s | %d | %d |\n' $name $connections "$(column "$of" 1)" \
            "$(column "$of" 2)" "$(column "$of" 3)" "$cpu" \
            "$(sort -n "samples.megabytes.$name.$connections" | tail -1)" "$(awk '{ sum += $4 } END { print sum }' "$of")"
        printf "$name, %s\t$connections\t%s\n" pages/s "$(column "$of" 1)" p50 "$(column "$of" 2)" \
            'CPU of the server' "$(column "$of" 5)"
    done
done | tee lines | grep '^|'
grep -v '^|' lines >points.connections
plot 'Pages of 10 by connections' connections '× one connection'
