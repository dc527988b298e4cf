"""What rustc says about the calls of one crate.

    rust_truth.py DIRECTORY -- CARGO ARGUMENTS...

CARGO ARGUMENTS is a `cargo rustc` that ends where flags of rustc begin; it is
run twice: `-Zunpretty=hir-tree` says where functions are and which impl is of
which trait, `-Zunpretty=thir-tree` what each call was resolved to by the type
checker.  Prints `path:line:col <tab> path:line,... <tab> name` as compare.py
reads it, paths relative to DIRECTORY, the place `-` for what is not in it.

A function stands on all lines of its signature.  A call of a trait's method
names the trait's own, and with it those of the impls that its Self may be:
rustc chooses between them only when it makes code.  What a macro wrote, calls
or functions, has no place in the source: such a call is left out, and such a
function is as one outside.
"""

import collections
import os
import re
import subprocess
import sys

DEF = re.compile(r"DefId\((\d+):\d+ ~ ([^\[\]]+)\[[0-9a-f]+\]((?:::[^)]*)?)\)")
SPAN = re.compile(r"span: (.*?):(\d+):(\d+): (\d+):(\d+) \(#(\d+)\)")
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def lines_of(command, flag):
    env = dict(os.environ, RUSTC_BOOTSTRAP="1")
    with subprocess.Popen(
        [*command, flag], stdout=subprocess.PIPE, env=env, encoding="utf-8"
    ) as run:
        yield from run.stdout
    if run.returncode:
        sys.exit(f"rust_truth: {' '.join(command)} {flag} failed")


def head(type_name):
    """`&'{erased} mut a::b::C<D>` is of C; a parameter, a dyn of none."""
    text = re.sub(r"^(&'?(\{\w+\}|\w+)? ?(mut )?)+", "", type_name)
    if re.match(r"\w+/#\d+|dyn |impl |Alias|\{|\(|\[|\*|fn", text):
        return ""
    return re.split(r"[<, \]]", text)[0].rsplit("::", 1)[-1]


class Items:
    """Where the functions of the crate are, and its impls of traits."""

    def __init__(self):
        self.places = {}
        self.impls = collections.defaultdict(list)

    def read(self, lines):
        owner, indent, is_impl, trait, self_type, want = "", -1, False, "", "", ""
        for line in lines:
            if line.startswith("DefId(") and "=> OwnerNodes" in line:
                owner = "".join(DEF.match(line).group(2, 3))
                indent, is_impl, trait, self_type, want = -1, False, "", "", ""
                continue
            text = line.strip()
            if text == "Impl {":
                is_impl = True
            elif is_impl:
                if text.startswith(("of_trait: Some", "self_ty: Ty")):
                    want = text[0]
                elif want and text.startswith("DefId("):
                    found = DEF.match(text)
                    name = found.group(2) + found.group(3) if found else "?"
                    if want == "o":
                        trait, want = name, ""
                    elif not text.startswith("DefId(") or "'" not in name:
                        self_type, want = self_type or name, ""
                elif want == "s" and text == "TyParam,":
                    self_type = "*"
                elif text == "items: [":
                    if trait:
                        self.impls[trait].append((owner, head(self_type)))
                    is_impl = False
            if text.endswith("FnSig {") and indent == -1 and owner not in self.places:
                indent = len(line) - len(line.lstrip()) + 4
                if not line.lstrip().startswith(("FnSig", "sig")):
                    indent = -1
            elif indent >= 0 and line.startswith("span: ", indent):
                self.places[owner] = SPAN.match(text)
                indent = -2


class Sources:
    def __init__(self, root):
        self.root, self.lines, self.paths = os.path.realpath(root), {}, {}

    def relative(self, path):
        if path not in self.paths:
            full = os.path.realpath(os.path.join(self.root, path))
            inside = full.startswith(self.root + os.sep)
            self.paths[path] = os.path.relpath(full, self.root) if inside else None
        return self.paths[path]

    def line(self, path, number):
        if path not in self.lines:
            with open(os.path.join(self.root, path), encoding="utf-8") as file:
                self.lines[path] = file.read().split("\n")
        return self.lines[path][number - 1]


def callee_place(sources, path, span):
    """Of `a::b::<C>(d)` the place of `b`: the last name of the path."""
    end_line, end = int(span[4]), int(span[5]) - 1
    line = sources.line(path, end_line)
    text = line[:end].rstrip()
    if text.endswith(">"):
        depth, at = 0, len(text)
        while at > 0:
            at -= 1
            depth += (text[at] == ">") - (text[at] == "<")
            if depth == 0:
                break
        text = text[:at].rstrip().removesuffix("::").rstrip()
    name = NAME.search(text)
    if not name:
        return None
    return f"{path}:{end_line}:{len(text[: name.start()].encode('utf-8'))}"


def calls(lines):
    """The span of each callee, and the type that names its function."""
    callee, is_written, state = "", False, ""
    for line in lines:
        text = line.strip()
        if text == "Call {":
            state = "call"
        elif state == "call" and text.startswith("ty: "):
            callee = text[4:]
        elif state == "call" and text.startswith("from_hir_call: "):
            is_written = text.endswith("true")
        elif state == "call" and text == "fun:":
            state = "fun"
        elif state == "fun" and text.startswith("span: "):
            span = SPAN.match(text)
            state = ""
            if is_written and span and span[6] == "0" and callee[:5] == "FnDef":
                yield span, callee


def targets(items, sources, callee):
    found = DEF.search(callee)
    if not found:
        return None
    name = found.group(2) + found.group(3)
    if name.startswith("core::ops::function::"):
        return None  # a value is called
    parent, _, method = name.rpartition("::")
    of_self = callee[found.end() :].lstrip(", [")
    names = [name]
    for impl, kind in items.impls.get(parent, ()):
        if head(of_self) and kind in (head(of_self), "*"):
            names.append(f"{impl}::{method}")
    places = set()
    for each in names:
        span = items.places.get(each)
        path = span and span[6] == "0" and sources.relative(span[1])
        if path:
            places.update(
                f"{path}:{line}" for line in range(int(span[2]), int(span[4]) + 1)
            )
    return name, ",".join(sorted(places)) or "-"


def main():
    root, _, *command = sys.argv[1:]
    items, sources = Items(), Sources(root)
    items.read(lines_of(command, "-Zunpretty=hir-tree"))
    seen = set()
    for span, callee in calls(lines_of(command, "-Zunpretty=thir-tree")):
        path = sources.relative(span[1])
        at = path and callee_place(sources, path, span)
        to = at and targets(items, sources, callee)
        if to and (at, to) not in seen:
            seen.add((at, to))
            print(at, to[1], to[0], sep="\t")


main()
