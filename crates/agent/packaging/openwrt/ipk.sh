#!/usr/bin/env bash
# Makes a package for OpenWrt up to 24.10 from a static airfair-agent: ipk.sh PROGRAM ARCHITECTURE FOLDER writes
# FOLDER/airfair-agent_VERSION_ARCHITECTURE.ipk. `opkg print-architecture` on the router shows its architecture.
# The package is reproducible from program, sources and commit.
set -euo pipefail
program=$(realpath "$1"); architecture=$2; into=$(realpath "$3")
here=$(dirname "$(realpath "$0")"); top=$(realpath "$here/../../../.."); files=$here/airfair-agent/files

[[ $architecture =~ ^[a-z0-9_+.-]+$ ]] || {
    echo "ARCHITECTURE='$architecture': allowed is a name of OpenWrt, such as x86_64 or aarch64_cortex-a53" >&2; exit 2; }
: "${SOURCE_DATE_EPOCH:=$(git -C "$top" log -1 --format=%ct 2>/dev/null || echo 0)}"
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$top/Cargo.toml")-r1
folder=$(mktemp -d); trap 'rm -rf "$folder"' EXIT
umask 022

put() { install -D -m "$1" "$2" "$folder/data/$3"; }
put 755 "$program" usr/bin/airfair-agent
put 755 "$files/airfair-agent.init" etc/init.d/airfair-agent
# The configuration may name addresses of stations, and the agent refuses a file that others may write.
put 600 "$files/airfair.config" etc/config/airfair

mkdir "$folder/control"
# The same dependencies as in airfair-agent/Makefile. Neither libc nor libbpf: the program is static.
cat >"$folder/control/control" <<CONTROL
Package: airfair-agent
Version: $version
Depends: kmod-sched-core, kmod-sched-bpf
Section: net
Architecture: $architecture
Installed-Size: $(du -b --apparent-size -s "$folder/data" | cut -f1)
License: (MIT OR Apache-2.0) AND (GPL-2.0-or-later OR LGPL-3.0-or-later)
Description: Fairness of the air on Wi-Fi: shows who holds the air, and shares it.
CONTROL
echo /etc/config/airfair >"$folder/control/conffiles"
# OpenWrt's own scripts enable, start, stop and disable the service.
for script in postinst prerm; do
    cat >"$folder/control/$script" <<SCRIPT
#!/bin/sh
[ "\$IPKG_NO_SCRIPT" = 1 ] && exit 0
[ -s "\$IPKG_INSTROOT/lib/functions.sh" ] || exit 0
. "\$IPKG_INSTROOT/lib/functions.sh"
default_$script "\$0" "\$@"
SCRIPT
    chmod 755 "$folder/control/$script"
done
echo 2.0 >"$folder/debian-binary"

pack() { tar --format=gnu --numeric-owner --owner=0 --group=0 --sort=name --mtime="@$SOURCE_DATE_EPOCH" -C "$1" -c "${@:2}" |
    gzip -9n; }
pack "$folder/data" . >"$folder/data.tar.gz"
pack "$folder/control" . >"$folder/control.tar.gz"
package=$into/airfair-agent_${version}_$architecture.ipk
pack "$folder" ./debian-binary ./data.tar.gz ./control.tar.gz >"$package"
echo "$package"
