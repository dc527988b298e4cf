"""Which of the routes found stand where they are said to.

    judge.py NAME FOLDER ROUTES.json INDEX.log

A route is right if the statement at its file and line is a registration in the
words of its framework, as a person would look for it with grep, and holds the
end of its path.  This is no parser: it knows neither scopes nor imports, so
that it does not err where the indexer does.  What it does not call right is
printed, to be looked at.
"""
import json
import os
import re
import sys

VERBS = "get|post|put|delete|patch|head|options|all|any"
REGISTERS = {
    "express": rf"\.({VERBS}|use|route)\(",
    "koa": rf"\.({VERBS}|register)\(",
    "fastify": rf"\.({VERBS}|route)\(",
    "flask": rf"@.*\.(route|{VERBS})\(|add_url_rule\(",
    "fastapi": rf"@.*\.({VERBS}|api_route|websocket)\(|add_api_route\(",
    "django": r"\b(re_path|path|url)\(|\.register\(",
    "tornado": r"\(\s*r?[\"']",
    "gin": rf"\.({VERBS}|Handle)\(",
    "net/http": r"\.Handle(Func)?\(",
}
STATEMENT_LINES = 6


def statement(folder, route):
    with open(os.path.join(folder, route["file"]), encoding="utf-8",
              errors="replace") as source:
        lines = source.read().split("\n")
    at = route["line"] - 1
    return " ".join(lines[max(0, at - 1):at + STATEMENT_LINES])


def is_right(folder, route):
    text = statement(folder, route)
    words = [w for w in re.split(r"[/{}*]+", route["canonical"]) if w]
    register = REGISTERS.get(route["framework"])
    if not register or not re.search(register, text, re.IGNORECASE):
        return False
    return not words or words[-1] in text or words[0] in text


def main():
    name, folder, found, log = sys.argv[1:]
    with open(found, encoding="utf-8") as file:
        routes = [r for r in json.load(file)["routes"] if r.get("file")]
    with open(log, encoding="utf-8") as file:
        files = re.search(r"(\d+) files", file.read())
    wrong = [r for r in routes if not is_right(folder, r)]
    right = len(routes) - len(wrong)
    names = sorted({r["framework"] for r in routes})
    share = f"{right / len(routes):.4f}" if routes else "-"
    print(f"{name:22} {files.group(1) if files else '?':>6} {len(routes):7}"
          f" {right:6} {share:>10}  {' '.join(names)}")
    for route in wrong:
        print(f"    {route['method']} {route['raw']} {route['file']}:"
              f"{route['line']} ({route['framework']})")


main()
