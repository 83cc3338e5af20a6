#!/bin/sh
# Makes a kernel with DualPI2 for tests/kernel/dumbbell.py in target/kernel, as root: Debian's newest kernel of
# trixie-backports, and the module sch_dualpi2, which Debian does not build, from Debian's source of that kernel. The
# module is compiled in a Debian 13 of its own. Needs debootstrap, the network and 4 GB of disk.
set -eu

release=trixie
store=$(cd "$(dirname "$0")/../.." && pwd)/target/kernel
work=$(mktemp -d)
trap 'umount "$work/proc" 2>/dev/null || true; rm -rf "$work"' EXIT

debootstrap --variant=minbase --include=make,kmod,xz-utils,bzip2 "$release" "$work" http://deb.debian.org/debian
mount -t proc proc "$work/proc"
cat >"$work/build.sh" <<'BUILD'
set -eu
echo "deb http://deb.debian.org/debian $1-backports main" >/etc/apt/sources.list.d/backports.list
apt-get --quiet update
# The headers name the compiler that built the kernel, and their makefiles also call gcc.
version=$(apt-cache depends --target-release "$1-backports" linux-headers-amd64 |
    sed -n 's/.*Depends: linux-headers-//p' | head -n 1)
apt-get --quiet --yes --no-install-recommends --target-release "$1-backports" install gcc "linux-headers-$version"
source=$(apt-cache depends --target-release "$1-backports" linux-source |
    sed -n 's/.*Depends: \(linux-source-[0-9.]*\)/\1/p' | head -n 1)
mkdir -p /packages /module && cd /packages
apt-get --quiet download --target-release "$1-backports" "$source"
apt-get --quiet download "linux-base-$version" "linux-binary-$version" "linux-modules-$version"
for it in *.deb; do dpkg-deb -x "$it" /unpacked; done
tar -xf "/unpacked/usr/src/$source.tar.xz" -C /module --strip-components=3 "$source/net/sched/sch_dualpi2.c"
echo "obj-m := sch_dualpi2.o" >/module/Makefile
make -C "/usr/src/linux-headers-$version" M=/module CONFIG_DEBUG_INFO_BTF_MODULES= modules
modules=/unpacked/usr/lib/modules/$version
mkdir -p "$modules/extra" && cp /module/sch_dualpi2.ko "$modules/extra"
rm -rf "$modules/build" "$modules/source" /unpacked/usr/src /unpacked/usr/share
find "$modules" -name "*.ko.xz" -exec unxz {} +
depmod -b /unpacked/usr "$version"
BUILD
chroot "$work" sh /build.sh "$release"
mkdir -p "$store"
rm -rf "$store/with-dualpi2"
cp -a "$work/unpacked" "$store/with-dualpi2"
