#!/usr/bin/env bash
# Makes a Debian package of a built airfair-agent: deb.sh PROGRAM FOLDER writes
# FOLDER/airfair-agent_VERSION_ARCHITECTURE.deb. The package is reproducible from program, sources and commit.
set -euo pipefail
program=$(realpath "$1"); into=$(realpath "$2")
here=$(dirname "$(realpath "$0")"); agent=$(dirname "$here"); top=$(realpath "$agent/../..")

for tool in dpkg-deb dpkg-shlibdeps strip gzip; do
    command -v "$tool" >/dev/null || { echo "missing: $tool: Debian's packages dpkg-dev and binutils" >&2; exit 1; }
done
: "${SOURCE_DATE_EPOCH:=$(git -C "$top" log -1 --format=%ct 2>/dev/null || echo 0)}"
export SOURCE_DATE_EPOCH
version=$("$program" --version | cut -d' ' -f2)
maintainer="The airfair authors <airfair@users.noreply.github.com>"
architecture=$(dpkg --print-architecture)
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
root=$folder/root; doc=$root/usr/share/doc/airfair-agent
umask 022

put() { install -D -m "$1" "$2" "$root/$3"; }
put 755 "$program" usr/bin/airfair-agent
strip --strip-unneeded --remove-section=.comment "$root/usr/bin/airfair-agent"
put 644 "$agent/agent.toml" etc/airfair/agent.toml
put 644 "$here/airfair-agent.service" lib/systemd/system/airfair-agent.service
put 644 "$here/grafana.json" usr/share/doc/airfair-agent/grafana.json
put 644 "$here/copyright" usr/share/doc/airfair-agent/copyright
mkdir -p "$root/usr/share/man/man8"
"$program" --man | gzip -9n >"$root/usr/share/man/man8/airfair-agent.8.gz"
gzip -9n <"$top/CHANGELOG.md" >"$doc/CHANGELOG.md.gz"
gzip -9n >"$doc/changelog.gz" <<CHANGELOG
airfair-agent ($version) unstable; urgency=medium

  * See CHANGELOG.md.

 -- $maintainer  $(LC_ALL=C date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")
CHANGELOG
# Licences of the linked libraries.
(cd "$top" && cargo tree --locked --offline --package airfair-agent --features bpf --edges normal --prefix none \
    --format '{p}|{l}' | sed -E 's/ \([^|]*\|/|/; s/ \(\*\)$//; s/\|/: /' | LC_ALL=C sort -u) >"$doc/libraries"

# Dependencies by Debian's names. dpkg-shlibdeps expects a source package around it.
mkdir -p "$folder/debian"
printf 'Source: airfair-agent\n\nPackage: airfair-agent\nArchitecture: any\n' >"$folder/debian/control"
depends=$(cd "$folder" && dpkg-shlibdeps -O "$root/usr/bin/airfair-agent" 2>/dev/null | sed 's/^shlibs:Depends=//')

mkdir "$root/DEBIAN"
cat >"$root/DEBIAN/control" <<CONTROL
Package: airfair-agent
Version: $version
Architecture: $architecture
Maintainer: $maintainer
Installed-Size: $(du -k --apparent-size -s "$root" | cut -f1)
Depends: $depends
Section: net
Priority: optional
Homepage: https://github.com/airfair/airfair
Description: fairness of the air on Wi-Fi
 A slow station on Wi-Fi takes the air from all the others, and TCP takes what
 it can get. airfair-agent shows who holds the air, in both directions, and
 applies schemes from the literature that share it, by limiting windows of TCP.
 .
 It fails open: whatever ends it, limits lift within a second.
CONTROL
echo /etc/airfair/agent.toml >"$root/DEBIAN/conffiles"
for script in postinst prerm postrm; do install -m 755 "$here/$script" "$root/DEBIAN/$script"; done
(cd "$root" && find . -type f -not -path './DEBIAN/*' -printf '%P\n' | LC_ALL=C sort | xargs md5sum) >"$root/DEBIAN/md5sums"

find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
dpkg-deb --root-owner-group -Zxz --build "$root" "$into" >/dev/null
echo "$into/airfair-agent_${version}_$architecture.deb"
