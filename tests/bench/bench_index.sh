#!/bin/bash
# Whole indexes, wall clock and peak memory, medians of RUNS: about 5 MB of Go
# from nothing, the same again, and on about 50 MB a commit of ten files.
#
#   RUNS=5 tests/bench/bench_index.sh
#
# The sources are those of Go where it is at hand, else generated.  Memory is
# that of the largest process at its peak (GNU time); parsers, which share the
# worker's pages, come on top with some 20 MB each.  Ends with 1 if something
# takes more than twice what it is held to.
set -u
cd "$(dirname "$0")/../.."
runs=${RUNS:-5}
spangraph=$PWD/build/spangraph
facts=$PWD/build/release/tests/bench/bench_facts
. tests/bench/needs.sh
needs "$spangraph" "$facts"
work=$(mktemp -d)
failed=0
trap 'rm -rf "$work"' EXIT
export HOME=$work GIT_CONFIG_NOSYSTEM=1
git() { command git -c user.name=A -c user.email=a@x.org -c init.defaultBranch=main -c gc.auto=0 "$@"; }

generate() { # FOLDER BYTES: packages that call each other
    local folder=$1 bytes=$2
    perl -e '
        my ($to, $bytes) = @ARGV; my $n = 0;
        while ($bytes > 0) {
            my $p = int($n / 10); my $q = $p > 3 ? int(rand($p)) : 0; my $t = "package p$p\n\nimport q \"std/p$q\"\n\n";
            for my $f (0 .. 99) {
                my $g = int(rand(100)); my $h = int(rand(100));
                $t .= "// F${n}x$f answers what it is asked.\nfunc F${n}x$f(a int, b string) (int, error) {\n\tif a > $g {\n\t\treturn F${n}x$g(a-1, b)\n\t}\n\tx := q.New(a)\n\treturn x.Do(b, $h)\n}\n\n";
            }
            mkdir "$to/p$p"; open my $o, ">", "$to/p$p/f$n.go"; print $o $t; $bytes -= length $t; $n++;
        }' "$folder" "$bytes"
}

take() { # FOLDER BYTES
    mkdir -p "$1"
    local source left=$2 file size
    source=$(go env GOROOT 2>/dev/null)/src
    if [ -d "$source/net" ]; then
        (cd "$source" && find . -name '*.go' -not -path '*/testdata/*' -not -path '*/vendor/*' -printf '%s %P\n' | LC_ALL=C sort -k2) |
            while read -r size file; do
                [ "$left" -gt 0 ] || break
                left=$((left - size))
                echo "$file"
            done >"$work/list"
        (cd "$source" && tar cf - -T "$work/list") | tar xf - -C "$1"
    else
        generate "$1" "$2"
    fi
    echo 'module std' >"$1/go.mod"
    git -C "$1" init -q && git -C "$1" add -A && git -C "$1" commit -qm one
}

# measure NAME HELD_S HELD_MB BEFORE COMMAND...
measure() {
    local name=$1 held_s=$2 held_mb=$3 before=$4 i
    shift 4
    : >"$work/times"
    for ((i = 0; i < runs; i++)); do
        $before
        /usr/bin/time -a -o "$work/times" -f '%e %M' "$@" >"$work/out" || { cat "$work/out"; exit 1; }
    done
    sort -n "$work/times" | awk -v name="$name" -v held_s="$held_s" -v held_mb="$held_mb" '
        { s[NR] = $1; if ($2 > mb) mb = $2 }
        END { m = s[int((NR + 1) / 2)]; printf "%-44s %6.2f s (held to %s)  %4d MB (held to %s)\n", name, m, held_s, mb / 1024, held_mb
              exit m > 2 * held_s || mb / 1024 > 2 * held_mb }' || failed=1
}
none() { rm -rf "$work/data"; }
same() { :; }
ten() {
    local file
    for file in $(git -C "$work/large" ls-files '*.go' | shuf -n 10); do
        echo "func added$RANDOM() { println() }" >>"$work/large/$file"
    done
    git -C "$work/large" commit -qam more
}

take "$work/small" 5000000
take "$work/large" 50000000
"$facts" "$work/small" .go || failed=1
measure "5 MB of Go from nothing" 1 200 none "$spangraph" index "$work/small" --data "$work/data"
measure "the same again" 0.5 200 same "$spangraph" index "$work/small" --data "$work/data"
none
"$spangraph" index "$work/large" --data "$work/data" --json |
    jq -r '"50 MB of Go from nothing: \(.parse_ms + .store_ms) ms, \(.files) files, \(.calls) calls"'
measure "a commit of ten files on 50 MB" 2 500 ten "$spangraph" index "$work/large" --data "$work/data"
jq -r '"  of it parse and resolve \(.parse_ms) ms, store \(.store_ms) ms"' <<<"$("$spangraph" index "$work/large" --data "$work/data" --json)"
exit $failed
