#!/usr/bin/env bash
# Writes the Debian package of the program `bookends`, for the machine that this runs on:
#
#     packaging/deb.sh target/dist/bookends 0.2.0 target/bookends_0.2.0_amd64.deb
#
# A package of a static program depends on no library. The same program gives the same package, byte for byte. The variable
# MAINTAINER has the name and the address of who answers for it.
set -euo pipefail
[ $# = 3 ] || { echo "usage: $0 PROGRAM VERSION OUT" >&2; exit 2; }
program=$(realpath "$1")
version=$2
out=$(realpath -m "$3")
maintainer=${MAINTAINER:-The Bookends developers <developers@bookends.invalid>}
cd "$(dirname "$0")/.."

[ "$("$program" --version)" = "bookends $version" ] || { echo "$program is not bookends $version" >&2; exit 1; }

architecture=$(dpkg --print-architecture)
depends='systemd | systemd-standalone-sysusers | systemd-sysusers'
if readelf --wide --program-headers "$program" | grep -q INTERP; then
    glibc=$(readelf --wide --version-info "$program" | grep -o 'GLIBC_2[0-9.]*' | sort -Vu | tail -n 1)
    depends="libc6 (>= ${glibc#GLIBC_}), libgcc-s1, $depends"
fi

# All files have the time of the commit.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
chmod 755 "$root"
umask 022
put() { install -D --mode="$1" "$2" "$root/$3"; }

put 755 "$program" usr/bin/bookends
strip --strip-unneeded --remove-section=.comment --remove-section=.note "$root/usr/bin/bookends"
put 644 packaging/bookends.service usr/lib/systemd/system/bookends.service
put 644 packaging/deb/sysusers.conf usr/lib/sysusers.d/bookends.conf
put 640 packaging/deb/bookends.env etc/bookends/bookends.env
put 644 packaging/deb/lintian-overrides usr/share/lintian/overrides/bookends
gzip -9n <packaging/deb/bookends.1 | put 644 /dev/stdin usr/share/man/man1/bookends.1.gz
put 644 cli/README.md usr/share/doc/bookends/README.md
{
    cat packaging/deb/copyright.head
    # The text below its title and its line of copyright, which the head has.
    sed '1,/^Copyright/d' LICENSE-MIT | sed '1{/^$/d}' | sed 's/^$/./; s/^/ /'
} | put 644 /dev/stdin usr/share/doc/bookends/copyright
gzip -9n <CHANGELOG.md | put 644 /dev/stdin usr/share/doc/bookends/changelog.gz
{
    printf 'bookends (%s) unstable; urgency=medium\n\n  * See changelog.gz.\n\n' "$version"
    printf ' -- %s  %s\n' "$maintainer" "$(date -uR --date="@$SOURCE_DATE_EPOCH")"
} | gzip -9n | put 644 /dev/stdin usr/share/doc/bookends/changelog.Debian.gz
"$program" completions bash | put 644 /dev/stdin usr/share/bash-completion/completions/bookends
"$program" completions zsh | put 644 /dev/stdin usr/share/zsh/vendor-completions/_bookends
"$program" completions fish | put 644 /dev/stdin usr/share/fish/vendor_completions.d/bookends.fish

for script in postinst prerm postrm; do put 755 "packaging/deb/$script" "DEBIAN/$script"; done
echo /etc/bookends/bookends.env >"$root/DEBIAN/conffiles"
(cd "$root" && find etc usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
cat >"$root/DEBIAN/control" <<END
Package: bookends
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du --summarize --block-size=1K --apparent-size "$root/usr" | cut -f 1)
Depends: $depends
Suggests: postgresql
Section: database
Priority: optional
Description: Relay API over any PostgreSQL or SQLite database
 Bookends reads the tables and the keys of a database, and serves them by
 GraphQL: each table is a Relay connection, with pages that are exact and cost
 the same at any depth, with filters, orders and counts.
 .
 The service starts when /etc/bookends/bookends.env names a database, and an
 administrator enables it.
END
find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build "$root" "$out"
