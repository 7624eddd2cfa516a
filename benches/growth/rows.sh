# Pages and counts of 10^4 rows and more. To be sourced by benches/growth.sh.

info='pageInfo { hasPreviousPage hasNextPage startCursor endCursor }'
edges="edges { cursor node { id rating book { name } } } $info"
ties='orderBy: [{ field: RATING, direction: DESC }]'
kinds=(page ties nested offset half count filtered approximate)
declare -A titles=([page]='page of 10, with books' [ties]='page of 10 amid ties' [nested]='50 books with 5 ratings each'
    [offset]='page after an `offset` of 1,000' [half]='page after an `offset` of half the rows' [count]='`totalCount` of the list'
    [filtered]='`totalCount` of a filter' [approximate]='`approximateCount` of a filter')

# The document of a kind, for so many rows.
document() {
    case $1 in
    page) echo "query Page(\$after: String) { ratings(first: 10, after: \$after) { $edges } }" ;;
    ties) echo "query Ties(\$after: String) { ratings(first: 10, after: \$after, $ties) { $edges } }" ;;
    nested) echo "query Nested(\$after: String) { books(first: 50, after: \$after) { nodes { id name
        ratings(first: 5) { nodes { id rating } pageInfo { hasPreviousPage hasNextPage } } } $info } }" ;;
    offset) echo "{ ratings(first: 10, offset: 1000, $ties) { $edges } }" ;;
    half) echo "{ ratings(first: 10, offset: $(($2 / 2)), $ties) { $edges } }" ;;
    count) echo '{ ratings { totalCount } }' ;;
    filtered) echo '{ ratings(where: { rating: { eq: 1 } }) { totalCount } }' ;;
    approximate) echo '{ ratings(where: { rating: { eq: 1 } }) { approximateCount { value } } }' ;;
    esac
}

# The requests of a kind: at a hundred places, if it has a cursor.
requests() {
    case $1 in
    page) places "$2" ratings "$3" | bodies "$(document page)" ;;
    ties) places "$2" ratings "$3" "first: 1, $ties, where: { rating: { eq: STEP } }" | bodies "$(document ties)" ;;
    nested) places "$2" books $(($3 / 10)) | bodies "$(document nested)" ;;
    *) jq --null-input --compact-output --arg query "$(document "$1" "$3")" '{ query: $query }' ;;
    esac
}

# The buffers and the index entries that the tables of a database have been read by, once its sessions have reported them: they do
# so after ten seconds of silence. And the buffers of a table that no request reads.
reads() {
    psql -qAt --field-separator ' ' "$1" --command "SELECT
        sum(coalesce(heap_blks_read + heap_blks_hit, 0) + coalesce(idx_blks_read + idx_blks_hit, 0)),
        (SELECT sum(coalesce(seq_tup_read, 0)) FROM pg_stat_user_tables) + (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes),
        sum(heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit) FILTER (WHERE relname = 'seaql_migrations')
        FROM pg_statio_user_tables"
}

powers=($(seq 4 "$power"))
declare -A urls=()
for p in "${powers[@]}"; do
    keep "rows_$p" fill_rows $((10 ** p))
    urls[$p]=$kept
    # Any offset and any filter, at any price.
    DATABASE_URL=$kept LISTEN=127.0.0.1:0 MAX_OFFSET=$((10 ** p)) MAX_COMPLEXITY=$((10 ** p + 50000)) start "$p" "$program"
    for kind in "${kinds[@]}"; do
        requests "$kind" "$p" $((10 ** p)) >"bodies.$kind.$p"
        check "$p" "bodies.$kind.$p"
    done
done

rm -f samples.* points.rows
for ((round = 0; round <= rounds; round++)); do
    for kind in "${kinds[@]}"; do
        for p in "${powers[@]}"; do
            sample "$p" "bodies.$kind.$p" 1 >>"samples.$([ $round -gt 0 ] || echo warm.)$kind.$p"
        done
    done
done

# The work, by the connections that have been warmed up: PostgreSQL plans a statement anew until its sixth execution. Once a
# minute, the server reads statistics of all tables. What is counted meanwhile is counted again.
declare -A work_of=()
sleep 11
for p in "${powers[@]}"; do reads "${urls[$p]}" >"reads.$p"; done
for kind in "${kinds[@]}"; do
    left=("${powers[@]}")
    while [ ${#left[@]} -gt 0 ]; do
        for p in "${left[@]}"; do
            awk '{ body[NR] = $0 } END { for (i = 0; i < NR || i < 10; i++) print body[i % NR + 1] }' "bodies.$kind.$p" >"many.$p"
            ask_each "$p" "many.$p" --fail >/dev/null
        done
        sleep 11
        again=()
        for p in "${powers[@]}"; do
            mv "reads.$p" before
            reads "${urls[$p]}" >"reads.$p"
            [[ " ${left[*]} " == *" $p "* ]] || continue
            work_of[$kind.$p]=$(echo $(cat before "reads.$p") "$(wc -l <"many.$p")" |
                awk '$3 == $6 { printf "%.1f %.1f", ($4 - $1) / $7, ($5 - $2) / $7 }')
            [ -n "${work_of[$kind.$p]}" ] || again+=("$p")
        done
        left=("${again[@]}")
    done
done

head_of_table "$rounds rounds of $seconds s, one connection; p50 in ms / buffers / index entries of a request" \
    "| request |$(printf ' 10^%d ratings |' "${powers[@]}") failures |"
for kind in "${kinds[@]}"; do
    printf '| %s |' "${titles[$kind]}"
    for p in "${powers[@]}"; do
        read -r buffers entries <<<"${work_of[$kind.$p]}"
        printf ' %.2f / %.0f / %.0f |' "$(column "samples.$kind.$p" 2)" "$buffers" "$entries"
        printf '%s\t%d\t%s\n' "${titles[$kind]//\`/}" $((10 ** p)) "$buffers" >>points.rows
    done
    printf ' %d |\n' "$(cat "samples.$kind".* | awk '{ sum += $4 } END { print sum }')"
done
plot 'Buffers of a request by the ratings in the table' ratings buffers
