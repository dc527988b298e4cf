"""Choose the weights of search on the dev packages: tune.py TREE [PASSES].

Coordinate search: each number in turn is raised and lowered, the program built,
the questions of the dev packages asked of what `run.sh PROGRAM dev` has indexed
(below BENCH_SEARCH_DIR), and what is better is kept.  TREE is a copy of the
source tree with its build folder; its files are edited, so that `diff` tells
what to take over.  The held-out packages are not looked at.
"""
import json
import os
import re
import subprocess
import sys

# Strata as in the held-out questions, so that none counts by its number here.
SHARE = {"identifier": 60, "symbol": 60, "error": 60, "route": 41, "runbook": 50}
LEAST = 0.0006  # below it is chance
COVER, TERMS, WORDS = "knowledge/search_cover.c", "graph/code_terms.c", "knowledge/search_words.c"
FUSE, GROUP = "knowledge/search.c", "knowledge/search_group.c"
# What has the most effect first: a pass may be ended at any time.
KNOBS = [(COVER, "AS_DONE AS_CODE AS_ROUTE OF_ENTRY BY_SAME OF_TEXT AS_TEXT OF_INNER OF_VALUE"),
         (FUSE, "NGRAM COVER GRAPH NAMES BM25"), (WORDS, "BY_SAME"),
         (COVER, "NAME DOC CALLED BODY METHOD BEHIND HANDLER PATH"), (FUSE, "BARE"),
         (COVER, "LENGTH TOGETHER"), (TERMS, "CALLED DOC BODY BEHIND METHOD PATH HANDLER"),
         (GROUP, "AGAIN"), (COVER, "SOON BY_PREFIX OF_FILE OF_TYPE OF_TEST SIGNATURE SAID ROUTE"),
         (WORDS, "BY_PREFIX BM25_B BM25_K OF_TEST"), (TERMS, "SIGNATURE PACKAGE SAID ROUTE"),
         (FUSE, "IDENT_LEAST"), (COVER, "AS_NAMED PACKAGE OF_LIST")]
STEP = 1.35

here = os.path.dirname(os.path.abspath(__file__))


def knobs(tree):
    """Each is a file and a pattern whose second group is the number."""
    for path, names in KNOBS:
        text = open(os.path.join(tree, path)).read()
        for name in names.split():
            for pattern in (r"(#define %s +)([0-9.]+)()", r"(\[FIELD_%s\] = )([0-9.]+)(F?,)",
                            r"(\[LANE_%s\] = \{[^}]*?, )([0-9.]+)(, (?:true|false)\})"):
                if re.search(pattern % name, text):
                    yield path, pattern % name


def edit(tree, knob, change):
    path, pattern = os.path.join(tree, knob[0]), knob[1]
    text = open(path).read()
    found = re.search(pattern, text)
    old = float(found[2])
    new = change(old)
    shown = ("%.4g" % new) if "." in "%.4g" % new or not found[3].startswith("F") else "%.1f" % new
    open(path, "w").write(text[:found.start(2)] + shown + text[found.end(2):])
    return old, new


def measure(tree, work, packages):
    subprocess.run(["make", "-s", "-j2", "-C", tree], check=True, stdout=subprocess.DEVNULL)
    running = []
    rows = []

    def reap():
        name, process = running.pop(0)
        if process.wait():
            sys.exit("asking %s failed" % name)
        with open("%s/%s.tuned" % (work, name)) as lines:
            rows.extend(json.loads(line) for line in lines)

    for name in packages:
        if len(running) == 2:
            reap()
        running.append((name, subprocess.Popen(
            ["node", os.path.join(here, "ask.js"), os.path.join(tree, "build/spangraph"),
             "%s/data/%s" % (work, name), "%s/dev/%s.jsonl" % (here, name), "--bare",
             "%s/data/%s.bare" % (work, name), "--out", "%s/%s.tuned" % (work, name), "--quick", "1"],
            stdout=subprocess.DEVNULL)))
    while running:
        reap()
    means = {}
    for stratum in SHARE:
        of = [row["best"] for row in rows if row["stratum"] == stratum]
        means[stratum] = sum(of) / len(of)
    return sum(SHARE[s] * means[s] for s in SHARE) / sum(SHARE.values()), means


def main():
    tree, passes = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1
    work = os.environ.get("BENCH_SEARCH_DIR", os.path.join(here, "../../../build/bench-search"))
    packages = [line.split()[1] for line in open(os.path.join(here, "packages.txt"))
                if line.startswith("dev ")]
    best, means = measure(tree, work, packages)
    print("begin %.4f" % best, {s: round(m, 3) for s, m in means.items()}, flush=True)
    for _ in range(passes):
        for knob in knobs(tree):
            for factor in (STEP, 1 / STEP):
                old, new = edit(tree, knob, lambda x: x * factor)
                value, means = measure(tree, work, packages)
                if value > best + LEAST:
                    best = value
                    print("%.4f %s %s %.4g -> %.4g" % (best, *knob, old, new),
                          {s: round(m, 3) for s, m in means.items()}, flush=True)
                    break
                edit(tree, knob, lambda x: old)
    print("end %.4f" % best)


main()
