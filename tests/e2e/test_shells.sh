#!/bin/bash
# Completion as the shells themselves do it, and the manual as its readers see it.
. "$(dirname "$0")/lib.sh"
export TERM=dumb HOME=$work
commands=$("$spangraph" --help | sed -n 's/^  \([a-z-]*\) .*/\1/p')
mkdir -p "$work/fpath" "$work/here/folder"
touch "$work/here/trace.yaml"
"$spangraph" completion bash >"$work/spangraph.bash"
"$spangraph" completion zsh >"$work/fpath/_spangraph"
"$spangraph" completion fish >"$work/spangraph.fish"
screen() { (cd "$work/here" && timeout 120 python3 "$OLDPWD/tests/e2e/screen.py" "$@"); }

# What is typed, Tab included, and what then stands there; the line is dropped (^U).
cases=(
    $'keys:spangraph edges --leve\tX' 'see:edges --level X'
    $'keys:\x15spangraph dead-ro\tX' 'see:dead-routes X'
    $'keys:\x15spangraph completion fi\tX' 'see:completion fish X'
    $'keys:\x15spangraph serve --config tr\tX' 'see:--config trace.yaml X'
    $'keys:\x15spangraph index fol\t' 'see:index folder/'
)
# Of every command, the option all have.
for command in $commands; do
    case $command in completion) continue ;; esac
    cases+=($'keys:\x15'"spangraph $command --hel"$'\tX' "see:spangraph $command --help X")
done
bye=($'keys:\x15exit\r' end:0)

check "bash takes it without a word" bash -n "$work/spangraph.bash"
check "bash completes at its prompt" screen 24 120 $'keys:PS1="> "; source ../spangraph.bash; echo re"ad"y\r' see:ready "${cases[@]}" "${bye[@]}" -- bash --norc --noprofile -i
check "zsh takes it without a word" zsh -n "$work/fpath/_spangraph"
check "zsh loads it from its fpath and completes" screen 24 120 $'keys:PS1="> "; fpath=(../fpath $fpath); autoload -Uz compinit; compinit -u -d ../dump; echo re"ad"y\r' see:ready "${cases[@]}" "${bye[@]}" -- zsh -f -i
check "zsh takes it from a profile, too" screen 24 120 $'keys:PS1="> "; autoload -Uz compinit; compinit -u -d ../dump2; source ../fpath/_spangraph; echo re"ad"y\r' see:ready "${cases[0]}" "${cases[1]}" "${bye[@]}" -- zsh -f -i

fish_says() { (cd "$work/here" && timeout 60 fish --no-config -c "source ../spangraph.fish; $1" 2>&1); }
check "fish takes it without a word" fish -n "$work/spangraph.fish"
same "fish completes every command" "$(LC_ALL=C sort <<<"$commands")" "$(fish_says 'complete -C "spangraph "' | cut -f1 | LC_ALL=C sort)"
same "with what it does" "Print the version." "$(fish_says 'complete -C "spangraph version"' | cut -f2)"
same "its options" "--service --since" "$(fish_says 'complete -C "spangraph edges --s"' | cut -f1 | LC_ALL=C sort | xargs)"
same "files where one is due" "trace.yaml" "$(fish_says 'complete -C "spangraph serve --config tr"' | cut -f1)"
same "shells" "bash fish zsh" "$(fish_says 'complete -C "spangraph completion "' | cut -f1 | LC_ALL=C sort | xargs)"
same "and of every command the option all have" "$(wc -w <<<"$commands")" "$(fish_says "for c in $(xargs <<<"$commands"); complete -C \"spangraph \$c --hel\"; end" | grep -c '^--help')"

# ---- the manual ----
"$spangraph" man >"$work/spangraph.1"
same "mandoc finds nothing to mend" "" "$(mandoc -T lint "$work/spangraph.1" 2>&1)"
same "nor has groff a warning" "" "$(groff -man -Tutf8 -ww -z "$work/spangraph.1" 2>&1)"
same "nor man" "" "$(MANPAGER=cat man --warnings -l "$work/spangraph.1" 2>&1 >/dev/null)"
manual=$(mandoc -T ascii "$work/spangraph.1" | col -b)
for command in $commands; do
    [[ $manual == *"spangraph $command"* ]] || same "the manual has $command" yes no
done
has "the manual says what a command does" "Show the busiest edges live" "$manual"
same "its lines are short" 0 "$(awk 'length > 80' "$work/spangraph.1" | wc -l)"
done_testing
