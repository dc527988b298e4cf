# needs FILE...: ends the script, in one line, unless all of them are built.
needs() {
    local file
    for file in "$@"; do
        [ -x "$file" ] && continue
        echo "$(basename "$0"): ${file#"$PWD"/} is missing: make all benches" >&2
        exit 4
    done
}
