# Debian's packages for run.sh's parts, below build/; nothing is installed.

# apt with the machine's own sources, and with packages of source.
apt() {
    apt-get -qq -o Dir::Etc::sourcelist=/dev/null \
        -o "Dir::Etc::sourceparts=$work/apt/parts" \
        -o "Dir::State::lists=$work/apt/lists" \
        -o "Dir::Cache=$work/apt/cache" -o APT::Sandbox::User=root "$@"
}

apt_lists() {
    mkdir -p "$work/apt/parts" "$work/apt/lists/partial" \
        "$work/apt/cache/archives/partial"
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -e "$file" ] || sed 's/^Types: deb$/Types: deb deb-src/' "$file" \
            >"$work/apt/parts/${file##*/}"
    done
    [ ! -e /etc/apt/sources.list ] || sed -n 'p;s/^deb /deb-src /p' \
        /etc/apt/sources.list >"$work/apt/parts/main.list"
    apt update
}
