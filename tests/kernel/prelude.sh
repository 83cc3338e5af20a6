# Functions for the scripts of all machines.

fail() { echo "failed: $*"; exit 1; }

# await SECONDS COMMAND…: repeats the command until it succeeds, for some seconds at most.
await() {
    tries=$(($1 * 10)); shift
    until "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || fail "in vain: $*"
        sleep 0.1
    done
}

# radios NUMBER: makes a number of radios of mac80211_hwsim; the first one is radio 0.
radios() {
    modprobe mac80211_hwsim "radios=$1"
    for phy in $(ls /sys/class/ieee80211 | sort -k 1.4 -n); do
        echo "$phy $(ls "/sys/class/ieee80211/$phy/device/net")"
    done >/tmp/radios
}
radio() { sed -n "$(($1 + 1))p" /tmp/radios | cut -d " " -f 1; }
interface() { sed -n "$(($1 + 1))p" /tmp/radios | cut -d " " -f 2; }

# access_point MODE: starts hostapd on radio 0 with address 10.0.0.1: an open network "airfair" on channel 6 without
# WMM. In mode g it has only OFDM rates, of which 6, 12 and 24 Mb/s are basic.
access_point() {
    {
        echo "interface=$(interface 0)"; echo "driver=nl80211"; echo "ssid=airfair"; echo "channel=6"
        echo "hw_mode=$1"; echo "wmm_enabled=0"; echo "preamble=0"
        if [ "$1" = g ]; then
            echo "supported_rates=60 90 120 180 240 360 480 540"; echo "basic_rates=60 120 240"
        fi
    } >/tmp/hostapd.conf
    hostapd -B -f /tmp/hostapd.log /tmp/hostapd.conf >/dev/null || { cat /tmp/hostapd.log; fail hostapd; }
    ip address add 10.0.0.1/24 dev "$(interface 0)"
}

# station NAME NUMBER: moves radio NUMBER to a new network namespace NAME, and associates it, with address
# 10.0.0.(NUMBER + 1).
station() {
    ip netns add "$1"
    iw phy "$(radio "$2")" set netns name "$1"
    ip netns exec "$1" ip link set "$(interface "$2")" up
    ip netns exec "$1" iw dev "$(interface "$2")" connect airfair 2437
    await 20 sh -c "ip netns exec $1 iw dev $(interface "$2") link | grep -q Connected"
    ip netns exec "$1" ip address add "10.0.0.$(($2 + 1))/24" dev "$(interface "$2")"
}

# medium [OPTION…] SCENARIO: starts airfair-medium in the background; its output goes to /tmp/medium.
medium() {
    airfair-medium "$@" >/tmp/medium 2>&1 & MEDIUM=$!
    await 5 grep -q "^radio" /tmp/medium
}
