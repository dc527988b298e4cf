"""What a SCIP index says about the calls of a directory.

    scip_truth.py INDEX DIRECTORY FOUND

FOUND is what call_sites prints: its places are asked about.  Prints, for each
of them where the index names something that can be called,
`path:line:col <tab> path:line <tab> symbol`; the place is `-` for what is not
defined in the repository.  Columns of SCIP are code units of UTF-16 (or what
position_encoding says); they are turned into bytes by reading the line.

Symbols that end in `().` are functions, in `#` types.  Those that end in `.`
are variables: they count only where a function that is bound to a name stands
on the line of their definition (FUNCTION lines of call_sites).  Parameters and
symbols local to a function have no kind that could be told, and do not count.
"""

import os
import sys


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value = data[at : at + size]
            at += size
        elif key & 7 == 1:
            value, at = data[at : at + 8], at + 8
        elif key & 7 == 5:
            value, at = data[at : at + 4], at + 4
        else:
            raise ValueError("not a SCIP index")
        yield key >> 3, value


def packed(data):
    at, out = 0, []
    while at < len(data):
        value, at = varint(data, at)
        out.append(value)
    return out


def documents(path):
    with open(path, "rb") as file:
        index = memoryview(file.read())
    for number, value in fields(index):
        if number != 2:
            continue
        name, encoding, occurrences = "", 0, []
        for part, inner in fields(value):
            if part == 1:
                name = bytes(inner).decode()
            elif part == 6:
                encoding = inner
            elif part == 2:
                place, symbol, roles = [], "", 0
                for field, what in fields(inner):
                    if field == 1:
                        place += packed(what) if not isinstance(what, int) else [what]
                    elif field == 2:
                        symbol = bytes(what).decode()
                    elif field == 3:
                        roles = what
                occurrences.append((place, symbol, roles))
        yield name, encoding, occurrences


def byte_column(line, column, encoding):
    if encoding == 1:
        return column
    if encoding == 3:
        return len(line[:column].encode("utf-8", "surrogatepass"))
    units = line.encode("utf-16-le", "surrogatepass")[: 2 * column]
    return len(units.decode("utf-16-le", "ignore").encode("utf-8"))


def main():
    index, directory, found = sys.argv[1:4]
    asked, functions = set(), set()
    with open(found, encoding="utf-8") as file:
        for row in file:
            at, kind = row.rstrip("\n").split("\t")[:2]
            if kind == "FUNCTION":
                functions.add(at.rsplit(":", 1)[0])
            else:
                asked.add(at)
    definitions, references = {}, []
    for name, encoding, occurrences in documents(index):
        try:
            with open(os.path.join(directory, name), encoding="utf-8") as file:
                lines = file.read().split("\n")
        except (OSError, UnicodeDecodeError):
            continue
        for place, symbol, roles in occurrences:
            key = (name, symbol) if symbol.startswith("local ") else symbol
            if place[0] >= len(lines):
                continue
            if roles & 1:
                definitions.setdefault(key, []).append(f"{name}:{place[0] + 1}")
                continue
            column = byte_column(lines[place[0]], place[1], encoding)
            references.append((f"{name}:{place[0] + 1}:{column}", key))
    for at, key in references:
        symbol = key if isinstance(key, str) else key[1]
        if at not in asked or symbol.startswith("local "):
            continue
        if key not in definitions:
            if symbol.endswith("().") or symbol.endswith("#"):
                print(at, "-", symbol, sep="\t")
            continue
        places = sorted(set(definitions[key]))
        # Parameters end in `)`, and `local` ones have no kind: no functions.
        is_function = symbol.endswith("().") or symbol.endswith("#")
        is_variable = symbol.endswith(".") and not is_function
        is_bound = any(place in functions for place in places)
        if not is_function and not (is_variable and is_bound):
            continue
        print(at, ",".join(places), symbol, sep="\t")


main()
