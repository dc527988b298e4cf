"""What a run of a package says about its calls.

    observed_truth.py DIRECTORY FOUND OBSERVED PLACES

OBSERVED has lines `path:line <tab> callee <tab> caller's name`: at that line
of the source the callee was entered, under the name that the language has for
it (`A->f`, `A::f`, `A#f`, `f`).  PLACES has `callee <tab> path:line,...`:
where it stands, then where the functions stand that it overrides.  FOUND is
what call_sites prints of DIRECTORY.  Prints `path:line:col <tab>
path:line,... <tab> name` as compare.py reads it, paths relative to DIRECTORY,
the place `-` for what is not in it.

A line is all that a run tells of a site, so the callee is joined by its name
to the calls on that line.  What was entered at a line where nobody wrote its
name was called by the language or by a library: callbacks, magic methods,
operators, names that are computed.  No reader of the source can know them;
they are counted on stderr and are no part of the truth.  Of a constructor
outside it does not tell what it made, so it is not judged.

Where the source names a function of a base and the run entered one that
overrides it, both are right, as with a compiler; the second number on stderr
is of these.
"""

import collections
import os
import re
import sys

NAME = re.compile(rb"[A-Za-z_\x80-\xff][A-Za-z0-9_\x80-\xff]*[?!]?")
NEW = re.compile(rb"\bnew\s+[\w\\]*$")
MADE = re.compile(rb"([A-Z]\w*)\s*&?\.\s*$")
MEMBER = re.compile(rb"(->|::)\s*$")
OF_RUBY = "#"
MAKERS = ("__construct", "initialize")


def rows(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            yield line.rstrip("\n").split("\t")


class Sources:
    def __init__(self, root):
        self.root, self.lines = os.path.realpath(root), {}

    def relative(self, place):
        path, _, line = place.rpartition(":")
        inside = path.startswith(self.root + os.sep) and os.path.isfile(path)
        return f"{path[len(self.root) + 1:]}:{line}" if inside else None

    def line(self, path, number):
        if path not in self.lines:
            with open(os.path.join(self.root, path), "rb") as file:
                self.lines[path] = file.read().split(b"\n")
        lines = self.lines[path]
        return lines[number - 1] if number <= len(lines) else b""


class Site:
    """A call as the source writes it."""

    def __init__(self, sources, at, target):
        path, line, col = at.rsplit(":", 2)
        text = sources.line(path, int(line))
        name = NAME.match(text, int(col))
        self.at, self.target = at, target
        self.name = name.group().decode("utf-8", "replace") if name else ""
        self.is_member = bool(MEMBER.search(text[: int(col)]))
        made = MADE.search(text[: int(col)]) if self.name == "new" else None
        self.made = made.group(1).decode() if made else self.name
        self.is_new = bool(NEW.search(text[: int(col)])) or self.name == "new"


def split_callee(callee):
    """`A\\B->f` is of B and named f."""
    if OF_RUBY in callee:
        owner, _, name = callee.rpartition(OF_RUBY)
    else:
        owner, _, name = re.match(r"(?:(.*?)(->|::))?(.*)", callee).groups("")
    return re.split(r"[\\:]", owner)[-1], name


def matching(sites, callee, caller):
    """The calls of a line that may have entered |callee|."""
    owner, name = split_callee(callee)
    is_made = name in MAKERS
    bare = name.rstrip("=") if OF_RUBY in callee else name
    same = [s for s in sites if s.name.lower() == bare.lower() and not s.is_new]
    if OF_RUBY not in callee:
        is_member = "->" in callee or "::" in callee
        same = [s for s in same if s.is_member == is_member]
    else:
        same = [s for s in same if s.name == bare]
        if caller == name:
            same += [s for s in sites if s.name == "super"]
    if is_made:
        made = [s for s in sites if s.is_new]
        own = [s for s in made if s.made.lower() == owner.lower()]
        # Of several, none of which names the class, any may be of a base.
        same += own or (made if len(made) == 1 else [])
    return same


def is_written(sources, site, callee):
    """Its name is called on the line, though we saw no call."""
    path, _, line = site.rpartition(":")
    text = sources.line(path, int(line)).decode("utf-8", "replace")
    owner, name = split_callee(callee)
    if OF_RUBY in callee:
        if name.endswith("=") and name[0].isalpha():
            return re.search(rf"\.{re.escape(name[:-1])}\s*(=(?![=~])|\S{{1,3}}=)", text)
        return name[0].isalpha() and re.search(
            rf"(?<![\w:@]){re.escape(name)}(?![\w?!:=])", text.split("#")[0])
    if name == "__construct":
        return re.search(rf"\bnew\s+\\?([\w\\]+\\)?{re.escape(owner)}\b", text, re.I)
    before = r"(->|::)\s*" if re.search("->|::", callee) else r"(?<![\w$>:])"
    return re.search(rf"{before}{re.escape(name)}\s*\(", text, re.I)


def main():
    root, found, observed, places = sys.argv[1:5]
    sources = Sources(root)
    where = {}
    for callee, to in rows(places):
        inside = [sources.relative(place) for place in to.split(",")]
        where.setdefault(callee, set()).update(filter(None, inside))
        where.setdefault((callee, "own"), set()).add(inside[0] or "-")
    sites = collections.defaultdict(list)
    for at, by, to, _ in rows(found):
        if by != "FUNCTION":
            site = Site(sources, at, to)
            sites[at.rsplit(":", 1)[0]].append(site)
    truth, unseen = collections.defaultdict(set), {}
    own = collections.defaultdict(set)
    unwritten = collections.Counter()
    for site, callee, caller in rows(observed):
        at = sources.relative(site)
        if not at or "{closure" in callee:
            continue
        to = where.get(callee) or {"-"}
        if to == {"-"} and split_callee(callee)[1] in MAKERS:
            continue  # what was made it does not tell
        same = matching(sites[at], callee, caller)
        for each in same:
            truth[each.at, split_callee(callee)[1]] |= to
            own[each.at] |= where.get((callee, "own"), {"-"})
        if not same and "-" not in to:
            if is_written(sources, at, callee):
                unseen.setdefault((at, callee), set()).update(to)
            else:
                unwritten[split_callee(callee)[1]] += 1
    of_base = 0
    targets = {s.at: s.target for line in sites.values() for s in line}
    for (at, name), to in sorted(truth.items()):
        print(at, ",".join(sorted(to)), name, sep="\t")
        target = set(targets[at].split(","))
        of_base += bool(target & to) and not target & own[at]
    for number, ((at, callee), to) in enumerate(sorted(unseen.items())):
        print(f"{at}:?{number}", ",".join(sorted(to)), callee, sep="\t")
    print(f"{sum(unwritten.values())} entered by what is not written, "
          f"{of_base} of the right ones through a base:",
          " ".join(f"{name}:{n}" for name, n in unwritten.most_common(12)),
          file=sys.stderr)


main()
