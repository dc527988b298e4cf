#!/bin/bash
# gcc's analyzer over the sources given: silent but for what is not known to be
# false.  Of C it is experimental, so it loses track of what is stored through a
# pointer; tests/analyze.known lists each such place by file, function and
# warning, with the reason.  A place of the list that is warned of no more is
# told, too, so that the list holds what is needed and no more.
#
#   tests/analyze.sh 'gcc -I. ...' FILE...
set -u
cd "$(dirname "$0")/.." || exit 4
compile=$1
shift
known=tests/analyze.known
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT
export LC_ALL=C compile said

analyze() {
    $compile -O1 -fanalyzer -fdiagnostics-plain-output \
        -fdiagnostics-path-format=none -c -o /dev/null "$1" \
        >"$said/${1//\//_}" 2>&1 || echo "$1: error: cannot be compiled" \
        >>"$said/${1//\//_}"
    sed -i "s|^|$1 |" "$said/${1//\//_}"
}
export -f analyze

printf '%s\n' "$@" | xargs -P "$(nproc)" -I FILE bash -c 'analyze FILE'
printf '%s\n' "$@" >"$said/.files"
cat "$said"/* | awk -v known="$known" -v files="$said/.files" '
BEGIN {
    while ((getline line <known) > 0)
        if (line !~ /^#/ && split(line, word, " ") >= 4) {
            sub(/:$/, "", word[3])
            expected[word[1], word[2], word[3]] = 1
        }
    while ((getline line <files) > 0)
        given[line] = 1
}
/In function |inlined from / {
    match($0, /\047[^\047]+\047/)
    at = substr($0, RSTART + 1, RLENGTH - 2)
}
/ (warning|error): / {
    kind = $NF
    gsub(/[][]/, "", kind)
    if (($1, at, kind) in expected) {
        met[$1, at, kind] = 1
    } else {
        sub(/^[^ ]+ /, "in " $1 ", " at ": ")
        print
        bad = 1
    }
}
END {
    for (place in expected) {
        split(place, word, SUBSEP)
        if ((word[1] in given) && !(place in met)) {
            printf "%s: no warning now of %s in %s, %s\n", known, word[3], word[1], word[2]
            bad = 1
        }
    }
    exit bad
}'
status=$?
echo "$# files analyzed in $SECONDS s"
exit $status
