"""Holds the calls that the resolver found against what a compiler says.

    compare.py NAME TRUTH FOUND [--misses N]

TRUTH has lines `path:line:col <tab> path:line[,path:line...] <tab> name`, the
place `-` where the target is outside of the repository; FOUND is what
call_sites prints.  A call found is right if its target stands on one of the
lines that the compiler names, and wrong if on another or if the compiler names
something outside.  Recall is of the calls with a target in the repository.
Where the compiler names nothing (calls of values, code it does not reach),
nothing is judged.
"""

import collections
import sys


def rows(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield line.rstrip("\n").split("\t")


def main():
    name, truth_path, found_path = sys.argv[1:4]
    show = int(sys.argv[5]) if len(sys.argv) > 5 else 0
    truth = {}
    for at, to, what, *_ in rows(truth_path):
        truth.setdefault(at, (set(), what))[0].update(to.split(","))
    found, unknown = {}, {}
    for at, by, to, what in rows(found_path):
        if by not in ("none", "external", "FUNCTION"):
            found.setdefault(at, (by, to, what))
        elif by != "FUNCTION":
            unknown[at] = by

    right = collections.Counter()
    wrong = collections.Counter()
    missed = []
    mistaken = []
    inside = sum(1 for to, _ in truth.values() if "-" not in to)
    for at, (to, what) in sorted(truth.items()):
        if at not in found:
            if "-" in to:
                continue
            missed.append((at, what, unknown.get(at, "not seen")))
            continue
        by, target, got = found[at]
        if to & set(target.split(",")):
            right[by] += 1
        else:
            wrong[by] += 1
            mistaken.append((at, what, ",".join(sorted(to)), got, target, by))
    hits, misses = sum(right.values()), sum(wrong.values())
    answered = hits + misses
    layers = " ".join(
        f"{by}:{right[by]}/{right[by] + wrong[by]}"
        for by in sorted(set(right) | set(wrong))
    )
    print(
        f"{name:24} {inside:6} {hits:6} {misses:5} "
        f"{hits / answered if answered else 0:9.4f} "
        f"{hits / inside if inside else 0:9.4f}  {layers}"
    )
    for row in missed[:show]:
        print("  missed", *row)
    for row in mistaken[:show]:
        print("  wrong ", *row)


main()
