#!/usr/bin/env bash
# Removes the rules of viewers from one place at a time, and expects the tests of the viewer to fail each time:
#
#     server/tests/viewer/mutants.sh [NUMBER...]
#
# It changes the working copy and restores it: commit first. It takes about a minute for each place. With PostgreSQL in
# TEST_DATABASE_URL, it tests there.
set -euo pipefail
cd "$(dirname "$0")/../../.."
[ -z "$(git status --porcelain)" ] || { echo "expected a clean working copy" >&2; exit 1; }
trap 'git checkout --quiet .' EXIT

# A file, what stands in it, and what stands there without the rule.
mutants=(
    'graphql/src/plan/list.rs|object.table_in(run).restrict(&mut rows);|let _ = object;'
    'graphql/src/plan/list.rs|Target::of_run(run).require(&mut rows.0, with);|let _ = with;'
    'graphql/src/plan/list.rs|declaration.has_rules() \&\& given.reads_others(object)|false'
    'graphql/src/plan/list.rs|filter(\|_\| !is_filtered \&\& !is_ruled)|filter(\|_\| !is_filtered)'
    'graphql/src/plan/relation.rs|to_rows_of(object.table_in(run))|to_rows_of(object.table.clone())'
    'graphql/src/plan/object/found.rs|object.table_in(run)|object.table.clone()'
    'graphql/src/list.rs|target.related_table(relation)|relation.table.clone()'
    'graphql/src/filter/sql.rs|(object.table.name(), self.table(object))|(object.table.name(), object.table.clone())'
    'graphql/src/filter/sql.rs|inner.require(&mut rows, with);|let _ = with;'
    'graphql/src/filter/read.rs|one.objects.are_back \|\| one.objects.can_hide \|\| |one.objects.are_back \|\| '
    'graphql/src/filter.rs|!are_back \&\& !can_hide \&\& related|!are_back \&\& related'
    'graphql/src/declare/declaration.rs|target.table(object).restrict(&mut rows);|let _ = target;'
    'graphql/src/value.rs|keyset::has_row(run.reader, &table, &values.map_err(failed)?).await.map_err(failed)?|{ let _ = (\&table, values.map_err(failed)?); true }'
    'graphql/src/row_write.rs|self.check_visible(&key, reader).await?;|let _ = Self::check_visible;'
    'graphql/src/row_write.rs|self.missing_among(reader, true).await?.into_iter().next()|None::<String>'
    'graphql/src/row_write/change.rs|statement.cond_where(visible);|let _ = visible;'
    'graphql/src/row_write/parent.rs|select.cond_where(visible);|let _ = visible;'
    'graphql/src/visible.rs|shows(row).await? \&\& !shows(before).await?|shows(row).await?'
    'graphql/src/visible.rs|shows(row).await? \&\& shows(before).await?|shows(row).await?'
    'graphql/src/visible.rs|shows(before).await? \&\& !shows(row).await?|shows(before).await?'
    'graphql/src/visible.rs|(_, None) => shows(row).await?,|(_, None) => true,'
    'graphql/src/visible.rs|self.prices.instead_of(statistics)|statistics'
    'keyset/src/statement_cache.rs|text.query == *query \&\& are_restricted(text)|text.query == *query'
    'keyset/src/statement_cache.rs|joins.iter().any(\|join\| join.restriction().is_some())|false'
    'keyset/src/many.rs|shared.extend(values);|let _ = values;'
)

log=/dev/null
passes() {
    cargo test --quiet --locked --workspace --test viewer -- "$@" >"$log" 2>&1
}

survived=0
for number in "${!mutants[@]}"; do
    [ $# = 0 ] || [[ " $* " == *" $number "* ]] || continue
    IFS='|' read -r file from to <<<"${mutants[$number]//'\|'/$'\1'}"
    from=${from//$'\1'/'|'} to=${to//$'\1'/'|'}
    from=${from//'\&'/'&'} to=${to//'\&'/'&'}
    FROM=$from TO=$to perl -0pi -e 's/\Q$ENV{FROM}\E/$ENV{TO}/ or die "no such place\n"' "$file"
    log=$(mktemp)
    # Sakila takes the longest.
    if passes --skip sakila && passes sakila; then
        echo "$number SURVIVED $file: $from"
        survived=$((survived + 1))
    elif grep -q '^error: could not compile\|^error\[' "$log"; then
        echo "$number does not compile: $file: $from" && grep -m3 -A5 '^error' "$log"
        survived=$((survived + 1))
    else
        echo "$number was found: $file: $from"
    fi
    git checkout --quiet "$file"
done
[ $survived = 0 ]
