#!/usr/bin/env bash
# Builds the engine for browsers and copies it to $1. It uses rustup's WebAssembly target, or Debian's compiler if there is none.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=$1
target=wasm32-unknown-unknown
cache=${XDG_CACHE_HOME:-$HOME/.cache}/airfair/web

# A panic's message names its source file: the directories of the machine that builds are replaced in these paths.
remap() { printf -- '--remap-path-prefix=%s=%s ' "$PWD" airfair "${CARGO_HOME:-$HOME/.cargo}" cargo "$1" rust; }
export CARGO_PROFILE_RELEASE_STRIP=true CARGO_PROFILE_RELEASE_PANIC=abort CARGO_PROFILE_RELEASE_DEBUG=false
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}
build=(cargo build --locked --release --package airfair-web --lib --target "$target")

echo "Building the engine for browsers: one to four minutes the first time" >&2
if [ -d "$(rustc --print target-libdir --target "$target")" ]; then
    RUSTFLAGS=$(remap "$(rustc --print sysroot)") "${build[@]}"
elif lld=$(rustc --print sysroot)/lib/rustlib/$(rustc -vV | sed -n 's/^host: //p')/bin/rust-lld; [ -x "$lld" ] \
    && command -v apt-get >/dev/null && command -v dpkg >/dev/null && { [ -x "$cache/rustc" ] || "$(dirname "$0")/toolchain.sh" "$cache"; }; then
    CARGO_TARGET_DIR=$cache/target
    export RUSTC=$cache/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=$lld
    RUSTFLAGS=$(remap "$cache") "${build[@]}" -Zbuild-std=std,panic_abort
else
    cat >&2 <<EOF
The playground is not built: there is no compiler for $target here. Either of these brings one:
  rustup target add $target
  Debian's packages rustc-web and rust-web-src, which web/toolchain.sh unpacks without root: apt-get update first
Everything else works without it.
EOF
    exit 3
fi
mkdir -p "$(dirname "$out")"
cp "$CARGO_TARGET_DIR/$target/release/airfair_web.wasm" "$out"
