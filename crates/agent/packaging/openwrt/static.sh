#!/usr/bin/env bash
# Builds airfair-agent as one static program with musl's C library, for routers: static.sh TARGET writes
# target/TARGET/small/airfair-agent. zig compiles C for every processor; `make agent-musl` puts it into PATH. Rust brings
# the linker and musl. libelf and zlib, which libbpf needs, come from the sources in the crate libbpf-sys.
set -euo pipefail
target=$1
cd "$(dirname "$0")/../../../.."

missing=0; lacks() { echo "missing: $1" >&2; missing=1; }
case $target in
    x86_64-unknown-linux-musl) zig=x86_64-linux-musl ;;
    aarch64-unknown-linux-musl) zig=aarch64-linux-musl ;;
    armv7-unknown-linux-musleabihf) zig=arm-linux-musleabihf ;;
    *) echo "TARGET=$target: allowed are x86_64-unknown-linux-musl, aarch64-unknown-linux-musl," \
        "armv7-unknown-linux-musleabihf" >&2; exit 2 ;;
esac
command -v "${CLANG:-clang}" >/dev/null || lacks "clang, which compiles what runs in the kernel: Debian's package clang"
for tool in make pkg-config; do command -v $tool >/dev/null || lacks "$tool: Debian's package $tool"; done
command -v python-zig >/dev/null || lacks "python-zig: make agent-musl installs it from requirements/wheel.txt"
[ -d "$(rustc --print target-libdir --target "$target")" ] || lacks "Rust's library for $target: rustup target add $target"
[ $missing = 0 ] || exit 1

crate=$(cargo metadata --locked --format-version 1 --features airfair-agent/bpf |
    grep -o '"manifest_path":"[^"]*/libbpf-sys-[^"]*"' | head -1 | cut -d'"' -f4 | xargs dirname)
libraries=$PWD/target/$target/libraries
flags="-Os -ffunction-sections -fdata-sections -I$crate/zlib -I$crate/elfutils/libelf"
rm -rf "$libraries"; mkdir -p "$libraries/objects"
# What elfutils' configure would find out. It asks for more libraries of GNU than libelf itself needs.
cat >"$libraries/config.h" <<CONFIG
#define HAVE_ERR_H 1
#define HAVE_DECL_MEMPCPY 1
#define HAVE_DECL_MEMRCHR 1
#define HAVE_DECL_POWEROF2 1
#define HAVE_DECL_RAWMEMCHR 0
#define HAVE_DECL_REALLOCARRAY 1
#include <eu-config.h>
CONFIG
# zig has its own names of targets and processors, and looks for undefined behaviour unless it is told not to.
cat >"$libraries/cc" <<CC
#!/usr/bin/env bash
given=(); for it; do case \$it in --target=* | -march=* | -mfpu=*) ;; *) given+=("\$it") ;; esac; done
exec python-zig cc -target $zig -fno-sanitize=all "\${given[@]}"
CC
chmod +x "$libraries/cc"
(
    cd "$libraries/objects"
    # shellcheck disable=SC2086 # $flags are several words.
    ../cc $flags -fPIC -I.. -I"$crate/elfutils/lib" -D_GNU_SOURCE -DHAVE_CONFIG_H -DHAVE_UNISTD_H \
        -w -c "$crate"/elfutils/libelf/*.c "$crate"/zlib/*.c
    # One archive under both names by which libbpf-sys asks.
    python-zig ar rcs ../libelf.a ./*.o && cp ../libelf.a ../libz.a
)
name=${target//-/_}
export "CC_$name=$libraries/cc" "CARGO_TARGET_${name^^}_LINKER=rust-lld"
LIBBPF_SYS_EXTRA_CFLAGS=$flags LIBBPF_SYS_LIBRARY_PATH=$libraries cargo build --target "$target" --profile small \
    --package airfair-agent --bin airfair-agent --features bpf --locked --quiet

program=target/$target/small/airfair-agent
echo "$program: $(($(stat -c %s "$program") / 1000)) kB, compressed $(($(gzip -9 <"$program" | wc -c) / 1000)) kB"
