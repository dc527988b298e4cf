# Debian's promtool: what is installed, or unpacked from its package, which is not
# installed because it would start a server.  Sourced after tests/e2e/lib.sh.

promtool=$(command -v promtool) || promtool=$PWD/build/prometheus/usr/bin/promtool
have_promtool() {
    [ -x "$promtool" ] && return
    (
        cd "$work" && timeout 120 apt-get download prometheus && dpkg-deb -x prometheus_*.deb prometheus
    ) >"$work/promtool.log" 2>&1 && mv "$work/prometheus" build/prometheus
    [ -x "$promtool" ]
}
