"""Take the comments out of a source tree: bare.py FOLDER.

Comments of Go and JavaScript and docstrings and comments of Python become
blanks, so lines stay where they are.  Strings are left alone, and documents.
"""
import ast
import io
import os
import re
import sys
import tokenize

# What is no comment goes first: strings, and regular expressions behind a sign.
C_LIKE = re.compile(
    r"""(?P<keep>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`"""
    r"""|(?<=[=(,:!&|?;{}] )/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/"""
    r"""|(?<=[=(,:!&|?;{}])/(?![/*])(?:[^/\\\n\[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/)"""
    r"""|//[^\n]*|/\*.*?\*/""", re.S)


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def bare_c_like(text):
    return C_LIKE.sub(lambda m: m[0] if m["keep"] else blank(m[0]), text)


def bare_python(text):
    lines = text.splitlines(keepends=True)

    def put(first, from_col, last, to_col, instead):
        for number in range(first, last + 1):
            line = lines[number - 1].rstrip("\r\n")
            end = lines[number - 1][len(line):]
            left = line[:from_col] + instead if number == first else ""
            right = line[to_col:] if number == last else ""
            lines[number - 1] = left + right + end

    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            put(token.start[0], token.start[1], token.end[0], token.end[1], "")
    for node in ast.walk(ast.parse("".join(lines))):
        body = getattr(node, "body", None)
        if (isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module))
                and body and isinstance(body[0], ast.Expr)
                and isinstance(body[0].value, ast.Constant)
                and isinstance(body[0].value.value, str)):
            at = body[0]
            head = lines[at.lineno - 1].encode()[:at.col_offset].decode()
            tail = lines[at.end_lineno - 1].encode()[:at.end_col_offset].decode()
            put(at.lineno, len(head), at.end_lineno, len(tail), "...")
    return "".join(lines)


def main():
    bare = {".go": bare_c_like, ".js": bare_c_like, ".proto": bare_c_like, ".py": bare_python}
    for at, _, files in os.walk(sys.argv[1]):
        for name in files:
            path = os.path.join(at, name)
            do = bare.get(os.path.splitext(name)[1])
            if not do or os.path.islink(path) or name.endswith(".min.js"):
                continue
            text = open(path, errors="surrogateescape", newline="").read()
            try:
                text = do(text)
            except (SyntaxError, tokenize.TokenError, ValueError) as error:
                print("%s is left as it is: %s" % (path, error), file=sys.stderr)
            open(path, "w", errors="surrogateescape", newline="").write(text)


main()
