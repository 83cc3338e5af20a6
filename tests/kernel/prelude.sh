# What every script of a machine may use.

fail() { echo "failed: $*"; exit 1; }

# await SECONDS COMMAND…: until the command succeeds.
await() {
    tries=$(($1 * 10)); shift
    until "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || fail "in vain: $*"
        sleep 0.1
    done
}
