"""Draw the questions that need no judge from a source tree, by its own text.

draw.py FOLDER LANGUAGE COUNT: JSON lines of the strata `identifier` (a name
that is defined once; its definition), `symbol` (the first sentence of a comment
or docstring, without the name; the function behind it) and `error` (a message
in the source, its gaps filled in; the function that says it).  `symbol` is asked
of an index of the source without its comments (bare.py), so a sentence is not
found by itself.  The sample is fixed by the seed; nothing of the indexer is used.
"""
import ast
import json
import os
import random
import re
import sys

GAPS = {"d": "42", "v": "gamma-7", "s": "gamma-7", "q": '"gamma-7"', "w": "EOF",
        "t": "true", "x": "1f", "f": "0.5", "r": "'gamma-7'", "i": "42"}


def is_test(path):
    name = os.path.basename(path)
    return ("test" in path.lower() or "mock" in path.lower() or
            name.endswith((".pb.go", ".gw.go")) or "/gen/" in path or
            "/examples/" in path or path.startswith(("examples/", "docs/")) or
            "/integration/" in path or path.startswith("integration/"))


def sources(folder, end):
    for at, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in ("node_modules", "vendor"))
        for name in sorted(files):
            path = os.path.relpath(os.path.join(at, name), folder)
            if name.endswith(end) and not is_test(path):
                yield path


def fill(text):
    text = re.sub(r"%[-+#0-9.]*([a-zA-Z])", lambda m: GAPS.get(m[1], "7"), text)
    text = re.sub(r"%\(\w+\)[a-z]", "gamma-7", text)
    return re.sub(r"\{[^{}]*\}", "gamma-7", text)


def first_sentence(text, name):
    text = " ".join(text.split())
    text = re.split(r"(?<=[.!?])\s", text)[0]
    text = re.sub(r"\b%s\b" % re.escape(name), "", text).strip(" .:-")
    return text


def read_go(folder, path):
    lines = open(os.path.join(folder, path), errors="replace").read().split("\n")
    head = re.compile(r"^func (?:\(\w*\s*\*?(\w+)(?:\[[^\]]*\])?\) )?(\w+)[\[(]")
    comment, at, scope = [], {}, None
    for number, line in enumerate(lines):
        found = head.match(line)
        kind = re.match(r"^type (\w+) ", line)
        if found:
            scope = found[2]
            yield "def", scope, " ".join(comment), number
        elif kind:
            yield "def", kind[1], "", number
        elif line.startswith("}"):
            scope = None
        for said in re.findall(r'(?:errors\.New|Errorf|Msgf?|Fatalf?|Printf|Println|'
                               r'http\.Error)\((?:\w+, )?"((?:[^"\\]|\\.)+)"', line):
            if scope:
                yield "error", scope, said, number
        comment = comment + [line[2:].strip()] if line.startswith("//") else []


def read_python(folder, path):
    try:
        tree = ast.parse(open(os.path.join(folder, path)).read())
    except SyntaxError:
        return
    def walk(node, scope):
        for child in ast.iter_child_nodes(node):
            inner = scope
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                doc = ast.get_docstring(child) or ""
                is_class = isinstance(child, ast.ClassDef)
                yield "def", child.name, "" if is_class else doc, child.lineno
                inner = scope if is_class else child.name
            if isinstance(child, ast.Call) and scope:
                name = getattr(child.func, "attr", getattr(child.func, "id", ""))
                says = name.endswith(("Error", "Exception", "Exit")) or name in (
                    "warning", "error", "exception", "critical", "debug", "info",
                    "HTTPError")
                for arg in child.args[:2] if says else []:
                    text = arg
                    if isinstance(arg, ast.Constant) and isinstance(arg.value, str):
                        yield "error", scope, arg.value, child.lineno
                    elif isinstance(text, ast.JoinedStr):
                        yield "error", scope, "".join(
                            p.value if isinstance(p, ast.Constant) else "{x}"
                            for p in text.values), child.lineno
            yield from walk(child, inner)
    yield from walk(tree, None)


JS_HEADS = [re.compile(pattern) for pattern in (
    r"^.*\bfunction\*? (\w+)\s*\(",
    r"^\s*(?:(?:const|let|var) )?(?:[\w$]+\.)*(\w+) = (?:async )?(?:function\b|\([^()]*\) =>)",
    r"^\s+(?:static )?(?:async )?(?!if\b|for\b|while\b|switch\b|catch\b|function\b|return\b)"
    r"(\w+)\([^()]*\) \{$",
    r"^\s*(\w+): (?:async )?function\b")]
JS_SAYS = re.compile(r"(?:Error|(?:console|logger|log)\.\w+)\(\s*(['\"`])((?:[^'\"`\\]|\\.)+)\1")


def read_javascript(folder, path):
    lines = open(os.path.join(folder, path), errors="replace").read().split("\n")
    comment, scopes = [], []
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        found = next((m for m in (head.match(line) for head in JS_HEADS) if m), None)
        while line.strip() and scopes and indent <= scopes[-1][0]:
            if line.strip()[0] in ")}]" and indent == scopes[-1][0]:
                break
            scopes.pop()
        if found:
            scopes.append((indent, found[1]))
            yield "def", found[1], " ".join(comment), number
        for _, said in JS_SAYS.findall(line):
            if scopes:
                yield "error", scopes[-1][1], said.replace("${", "{").replace("\\'", "'"), number
        text = line.strip()
        if text.startswith(("//", "/*", "*")):
            part = re.sub(r"^(//+|/\*+|\*/|\*)|\*/$", "", text).strip()
            comment = comment + [part] if not part.startswith("@") else comment
        else:
            comment = []


def main():
    folder, language, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
    read, end = {"go": (read_go, ".go"), "python": (read_python, ".py"),
                 "javascript": (read_javascript, ".js")}[language]
    rows = [(path, *row) for path in sources(folder, end) for row in read(folder, path)]
    defs, says = {}, {}
    for path, kind, name, text, _ in rows:
        (defs.setdefault(name, []) if kind == "def" else
         says.setdefault(text, [])).append((path, name))
    chance = random.Random(20261122)
    pools = {"identifier": [], "symbol": [], "error": []}
    for path, kind, name, text, _ in rows:
        if kind == "def" and len(defs[name]) == 1 and len(name) > 6 and not name.startswith("__"):
            pools["identifier"].append((name, path, name))
        sentence = first_sentence(text, name)
        if (kind == "def" and len(defs[name]) == 1 and len(sentence.split()) >= 5 and
                "TODO" not in sentence and name not in ("main", "init")):
            pools["symbol"].append((sentence, path, name))
        if kind == "error" and len(set(says[text])) == 1 and len(text.split()) >= 3:
            pools["error"].append((fill(text.replace('\\"', '"')), path, name))
    for stratum, pool in pools.items():
        pool = sorted(set(pool))
        for query, path, name in chance.sample(pool, min(count, len(pool))):
            print(json.dumps({"stratum": stratum, "query": query,
                              "relevant": {"%s#%s" % (path, name): 3}}))


main()
